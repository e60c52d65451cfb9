/* thrille: n=2 */
/* The barrier completes the put before the collect. */
#include <shmem.h>
#include <stddef.h>

static long from[2], to[4];

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    if (me == 1)
        shmem_long_p(&to[0], 7, 0);
    shmem_barrier_all();
    shmem_long_collect(SHMEM_TEAM_WORLD, to, from, (size_t)me + 1);
    shmem_finalize();
    return 0;
}
