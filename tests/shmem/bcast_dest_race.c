/* thrille: n=2,4 */
/* The root may call the next broadcast, and write this destination, while it is read. */
#include <shmem.h>

static long src, dest;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    volatile long seen = 0;
    for (int i = 0; i < 3; i++) {
        src = me + i;
        shmem_long_broadcast(SHMEM_TEAM_WORLD, &dest, &src, 1, 0); /* race: a */
        if (me > 0)
            seen += dest; /* race: a */
    }
    (void)seen;
    shmem_finalize();
    return 0;
}
