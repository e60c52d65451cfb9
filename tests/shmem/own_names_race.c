/* thrille: n=2 */
/* The program has a function by a name of the C library, which the tool itself uses. */
#include <shmem.h>

extern void send(long *to, long v, int pe);
extern long read_own(const long *p);
static long cell;

void send(long *to, long v, int pe)
{
    shmem_long_p(to, v, pe); /* race: a */
}

long read_own(const long *p)
{
    return *p; /* race: a */
}

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    send(&cell, 3, 1 - me);
    volatile long s = read_own(&cell);
    (void)s;
    shmem_finalize();
    return 0;
}
