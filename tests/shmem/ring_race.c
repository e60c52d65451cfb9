/* thrille: n=2,4 */
/* After shmem_sync_all the word of the left neighbour may still be under way. */
#include <shmem.h>

static long inbox;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    volatile long seen = 0;
    int n = shmem_n_pes();
    long mine = me;
    for (int step = 0; step < 3; step++) {
        shmem_long_put(&inbox, &mine, 1, (me + 1) % n); /* race: a */
        shmem_sync_all();
        mine = inbox; /* race: a */
        shmem_barrier_all();
    }
    seen = mine;
    (void)seen;
    shmem_finalize();
    return 0;
}
