/* thrille: n=2,4 */
/* A broadcast from PE 0 does not order the store of the last PE before the get of PE 0. */
#include <shmem.h>

static long x, from[8], to[8];

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    volatile long seen = 0;
    x = 1; /* race: a */
    shmem_long_broadcast(SHMEM_TEAM_WORLD, to, from, 1, 0);
    if (me == 0)
        seen = shmem_long_g(&x, shmem_n_pes() - 1); /* race: a */
    (void)seen;
    shmem_finalize();
    return 0;
}
