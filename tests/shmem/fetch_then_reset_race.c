/* thrille: n=2 */
/* Who has waited for the effect of a fetching atomic may use its word plainly: the atomic is over by then. Who waited for the one before, may not. */
#include <shmem.h>

static long box, turn;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    volatile long seen = 0;
    for (long k = 1; k < 9; k++) {
        if (me == 0) {
            shmem_long_atomic_fetch_add(&box, 1, 1); /* race: a, b */
            shmem_long_wait_until(&turn, SHMEM_CMP_GE, k);
        } else {
            shmem_long_wait_until(&box, SHMEM_CMP_GE, 0);
            seen += box; /* race: a */
            box = 0; /* race: b */
            shmem_quiet();
            shmem_long_atomic_set(&turn, k, 0);
        }
    }
    shmem_barrier_all();
    shmem_finalize();
    return 0;
}
