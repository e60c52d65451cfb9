/* thrille: n=2 */
/* shmem_wait_until is the portable way to wait for the flag, and orders the load of the data after it. */
#include <shmem.h>

static long x, flag;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    volatile long seen = 0;
    if (me == 0) {
        shmem_long_p(&x, 1, 1);
        shmem_fence();
        shmem_long_p(&flag, 1, 1);
    }
    if (me == 1) {
        shmem_long_wait_until(&flag, SHMEM_CMP_EQ, 1);
        seen = x;
    }
    (void)seen;
    shmem_finalize();
    return 0;
}
