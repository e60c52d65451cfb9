/* thrille: n=2 */
/* The put to the source on PE 0 is still under way when PE 0 enters the reduction. */
#include <shmem.h>

static long from, to;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    if (me == 1)
        shmem_long_p(&from, 7, 0); /* race: a */
    shmem_long_sum_reduce(SHMEM_TEAM_WORLD, &to, &from, 1); /* race: a */
    shmem_finalize();
    return 0;
}
