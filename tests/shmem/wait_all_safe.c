/* thrille: n=3 */
/* shmem_wait_until_all returns when both flags are set, each delivered after its data. */
#include <shmem.h>
#include <stddef.h>

static long x[2], flags[2];

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    volatile long seen = 0;
    if (me > 0) {
        shmem_long_p(&x[me - 1], 1, 0);
        shmem_fence();
        shmem_long_atomic_set(&flags[me - 1], 1, 0);
    }
    if (me == 0) {
        shmem_long_wait_until_all(flags, 2, NULL, SHMEM_CMP_EQ, 1);
        seen = x[0];
        seen = x[1];
    }
    (void)seen;
    shmem_finalize();
    return 0;
}
