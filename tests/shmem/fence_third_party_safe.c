/* thrille: n=3 */
/* shmem_quiet completes the data on PE 1, visible to all PEs, before the flag on PE 2 is set. */
#include <shmem.h>

static long x, flag;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    volatile long seen = 0;
    if (me == 0) {
        shmem_long_p(&x, 1, 1);
        shmem_quiet();
        shmem_long_atomic_set(&flag, 1, 2);
    }
    if (me == 2) {
        shmem_long_wait_until(&flag, SHMEM_CMP_EQ, 1);
        seen = shmem_long_g(&x, 1);
    }
    (void)seen;
    shmem_finalize();
    return 0;
}
