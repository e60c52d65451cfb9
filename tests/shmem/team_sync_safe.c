/* thrille: n=4 */
/* PE 1 is in the team that synchronises after the store of PE 0 and before the get. */
#include <shmem.h>
#include <stddef.h>

static long x;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    volatile long seen = 0;
    shmem_team_t low;
    shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, 2, NULL, 0, &low);
    if (me == 0)
        x = 1;
    if (low != SHMEM_TEAM_INVALID)
        shmem_team_sync(low);
    if (me == 1)
        seen = shmem_long_g(&x, 0);
    (void)seen;
    shmem_finalize();
    return 0;
}
