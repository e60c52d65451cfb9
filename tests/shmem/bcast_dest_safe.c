/* thrille: n=2,4 */
/* The destination is ready on all PEs before any of them calls. */
#include <shmem.h>

static long src, dest;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    volatile long seen = 0;
    for (int i = 0; i < 3; i++) {
        src = me + i;
        shmem_barrier_all();
        shmem_long_broadcast(SHMEM_TEAM_WORLD, &dest, &src, 1, 0);
        if (me > 0)
            seen += dest;
    }
    (void)seen;
    shmem_finalize();
    return 0;
}
