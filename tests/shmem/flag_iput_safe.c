/* thrille: n=2 */
/* The flags are put with a stride, behind a fence: who waits for one comes after the data. */
#include <shmem.h>

static long flags[8], x[4];

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    volatile long s = 0;
    if (me == 0) {
        long v[4] = {1, 1, 1, 1};
        shmem_long_put(x, v, 4, 1);
        shmem_fence();
        shmem_long_iput(flags, v, 2, 1, 4, 1);
    } else {
        shmem_long_wait_until(&flags[6], SHMEM_CMP_EQ, 1);
        s = x[2];
    }
    (void)s;
    shmem_finalize();
    return 0;
}
