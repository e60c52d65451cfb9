/* thrille: n=4 */
/* shmem_barrier of an active set completes its members' puts. */
#include <shmem.h>

static long sync_work[SHMEM_BARRIER_SYNC_SIZE];
static double x[3];

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    for (int i = 0; i < SHMEM_BARRIER_SYNC_SIZE; i++)
        sync_work[i] = SHMEM_SYNC_VALUE;
    shmem_barrier_all();
    volatile double seen = 0;
    double out[3] = { 1, 2, 3 };
    if (me % 2 == 1) {
        for (int round = 0; round < 3; round++) {
            if (me == 1)
                shmem_double_put(&x[round], &out[round], 1, 3);
            shmem_barrier(1, 1, 2, sync_work);
            if (me == 3)
                seen = x[round];
        }
    }
    (void)seen;
    shmem_barrier_all();
    shmem_finalize();
    return 0;
}
