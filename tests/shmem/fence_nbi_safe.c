/* thrille: n=2 */
/* shmem_fence orders the nonblocking put before the flag on the same PE. */
#include <shmem.h>

static long x, flag;
static long one = 1;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    volatile long seen = 0;
    if (me == 0) {
        shmem_long_put_nbi(&x, &one, 1, 1);
        shmem_fence();
        shmem_long_atomic_set(&flag, 1, 1);
    }
    if (me == 1) {
        shmem_long_wait_until(&flag, SHMEM_CMP_EQ, 1);
        seen = x;
    }
    (void)seen;
    shmem_finalize();
    return 0;
}
