/* thrille: n=2 flags=-O2 */
/* shmem_quiet completes the nonblocking put, after which its source may be overwritten. */
#include <shmem.h>

static long x[4];
static long from[4] = {1, 2, 3, 4};

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    if (me == 0) {
        shmem_long_put_nbi(x, from, 4, 1);
        shmem_quiet();
        from[0] = 7;
    }
    shmem_finalize();
    return 0;
}
