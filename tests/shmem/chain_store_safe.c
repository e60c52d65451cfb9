/* thrille: n=3 */
/* Store, quiet, flag, flag: the get of PE 2 comes after the store of PE 0. */
#include <shmem.h>

static long x, flag;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    volatile long seen = 0;
    if (me == 0) {
        x = 1;
        shmem_quiet();
        shmem_long_atomic_set(&flag, 1, 1);
    }
    if (me == 1) {
        shmem_long_wait_until(&flag, SHMEM_CMP_EQ, 1);
        shmem_long_atomic_set(&flag, 1, 2);
    }
    if (me == 2) {
        shmem_long_wait_until(&flag, SHMEM_CMP_EQ, 1);
        seen = shmem_long_g(&x, 0);
    }
    (void)seen;
    shmem_finalize();
    return 0;
}
