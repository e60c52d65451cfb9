/* thrille: n=2 */
/* PE 1 leaves the broadcast after PE 0, the root, has entered: the store of PE 0 is ordered before the get of PE
   1. */
#include <shmem.h>

static long x, from, to;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    volatile long seen = 0;
    x = 1;
    shmem_long_broadcast(SHMEM_TEAM_WORLD, &to, &from, 1, 0);
    if (me == 1)
        seen = shmem_long_g(&x, 0);
    (void)seen;
    shmem_finalize();
    return 0;
}
