/* thrille: n=2,4 */
/* The barrier completes the atomic increments before the reduction reads the counter. */
#include <shmem.h>

static long count, total;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    shmem_long_atomic_inc(&count, (me + 1) % shmem_n_pes());
    shmem_barrier_all();
    shmem_long_sum_reduce(SHMEM_TEAM_WORLD, &total, &count, 1);
    shmem_finalize();
    return 0;
}
