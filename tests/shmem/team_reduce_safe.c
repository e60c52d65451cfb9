/* thrille: n=4 */
/* PE 2 takes part in the reduction of the team {0,1,2}, whose result needs PE 0 to have entered after its store. */
#include <shmem.h>
#include <stddef.h>

static long x, from, to;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    volatile long seen = 0;
    shmem_team_t three;
    shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, 3, NULL, 0, &three);
    if (me == 0)
        x = 1;
    if (three != SHMEM_TEAM_INVALID)
        shmem_long_sum_reduce(three, &to, &from, 1);
    if (me == 2)
        seen = shmem_long_g(&x, 0);
    (void)seen;
    shmem_finalize();
    return 0;
}
