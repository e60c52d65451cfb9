/* thrille: n=2 flags=-O2 */
/* shmem_fence orders delivery and completes nothing: the source of the nonblocking put is not free after it. */
#include <shmem.h>

static long x[4];
static long from[4] = {1, 2, 3, 4};

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    if (me == 0) {
        shmem_long_put_nbi(x, from, 4, 1); /* race: a */
        shmem_fence();
        from[0] = 7; /* race: a */
    }
    shmem_finalize();
    return 0;
}
