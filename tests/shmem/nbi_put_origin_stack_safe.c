/* thrille: n=2 */
/* shmem_quiet frees the source on the stack before the store to it. */
#include <shmem.h>

static long x[4];

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    volatile long seen = 0;
    long from[4] = {1, 2, 3, 4};
    if (me == 0) {
        shmem_long_put_nbi(x, from, 4, 1);
        shmem_quiet();
        from[1] = 7;
        shmem_quiet();
        seen = from[1];
    }
    (void)seen;
    shmem_finalize();
    return 0;
}
