/* thrille: n=4 */
/* The even PEs and the odd ones make a team each, in the same call. A reduction of a team orders nothing with the neighbour, who is in the other. */
#include <shmem.h>

static long x, part, sum;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe(), n = shmem_n_pes();
    volatile long seen = 0;
    shmem_team_t mine;
    shmem_team_split_strided(SHMEM_TEAM_WORLD, me % 2, 2, n / 2, NULL, 0, &mine);
    shmem_long_p(&x, me, (me + 1) % n); /* race: a */
    shmem_quiet();
    shmem_long_sum_reduce(mine, &sum, &part, 1);
    seen = x; /* race: a */
    (void)seen;
    shmem_team_destroy(mine);
    shmem_finalize();
    return 0;
}
