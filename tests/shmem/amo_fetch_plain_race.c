/* thrille: n=2 */
/* An atomic and a plain store to the same word at the same time: atomicity holds only among the atomic routines. */
#include <shmem.h>

static long x;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    volatile long seen = 0;
    if (me == 0)
        seen = shmem_long_atomic_fetch_add(&x, 5, 1); /* race: a */
    if (me == 1)
        x = 1; /* race: a */
    (void)seen;
    shmem_finalize();
    return 0;
}
