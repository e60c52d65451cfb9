/* thrille: n=2 */
/* C++: the overloads of shmem.h; the line is that of the call. */
#include <shmem.h>

static long x;

int main()
{
    shmem_init();
    int me = shmem_my_pe();
    shmem_p(&x, 3, 1 - me); /* race: a */
    volatile long seen = x; /* race: a */
    (void)seen;
    shmem_finalize();
    return 0;
}
