/* thrille: n=2 */
/* shmem_barrier_all completes the put to the source before the reduction reads it. */
#include <shmem.h>

static long from, to;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    if (me == 1)
        shmem_long_p(&from, 7, 0);
    shmem_barrier_all();
    shmem_long_sum_reduce(SHMEM_TEAM_WORLD, &to, &from, 1);
    shmem_finalize();
    return 0;
}
