/* thrille: n=3 */
/* A broadcast over an active set does not write the root's destination. */
#include <shmem.h>

static long sync_work[SHMEM_BCAST_SYNC_SIZE];
static long from[2], to[2];

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    for (int i = 0; i < SHMEM_BCAST_SYNC_SIZE; i++)
        sync_work[i] = SHMEM_SYNC_VALUE;
    from[0] = me;
    shmem_barrier_all();
    shmem_broadcast64(to, from, 2, 0, 0, 0, 3, sync_work);
    volatile long seen = 0;
    if (me == 2)
        seen = shmem_long_g(&to[1], 0);
    (void)seen;
    shmem_barrier_all();
    shmem_finalize();
    return 0;
}
