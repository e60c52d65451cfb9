/* thrille: n=2,4 */
/* No PE leaves an alltoall before all have entered: the store of the last PE is ordered before the get of PE 0. */
#include <shmem.h>

static long x, from[8], to[8];

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    volatile long seen = 0;
    x = 1;
    shmem_long_alltoall(SHMEM_TEAM_WORLD, to, from, 1);
    if (me == 0)
        seen = shmem_long_g(&x, shmem_n_pes() - 1);
    (void)seen;
    shmem_finalize();
    return 0;
}
