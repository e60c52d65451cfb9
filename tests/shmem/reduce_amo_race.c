/* thrille: n=2,4 */
/* Atomic increments may still be under way when the reduction, which is not atomic, reads the counter. */
#include <shmem.h>

static long count, total;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    shmem_long_atomic_inc(&count, (me + 1) % shmem_n_pes()); /* race: a */
    shmem_long_sum_reduce(SHMEM_TEAM_WORLD, &total, &count, 1); /* race: a */
    shmem_finalize();
    return 0;
}
