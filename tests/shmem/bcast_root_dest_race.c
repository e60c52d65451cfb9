/* thrille: n=3 */
/* A broadcast over a team writes the root's destination too, until the root returns. */
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
    shmem_long_broadcast(SHMEM_TEAM_WORLD, to, from, 2, 0); /* race: a */
    volatile long seen = 0;
    if (me == 2)
        seen = shmem_long_g(&to[1], 0); /* race: a */
    (void)seen;
    shmem_barrier_all();
    shmem_finalize();
    return 0;
}
