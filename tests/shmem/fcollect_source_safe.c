/* thrille: n=2 */
/* shmem_barrier_all completes the put and orders it before the fcollect of PE 0. */
#include <shmem.h>

static long from, to[2];

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    volatile long seen = 0;
    if (me == 1)
        shmem_long_p(&from, 7, 0);
    shmem_barrier_all();
    shmem_long_fcollect(SHMEM_TEAM_WORLD, to, &from, 1);
    seen = to[0];
    (void)seen;
    shmem_finalize();
    return 0;
}
