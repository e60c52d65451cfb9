/* thrille: n=2,4 */
/* shmem_barrier_all completes the words of all neighbours. */
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
        shmem_long_put(&inbox, &mine, 1, (me + 1) % n);
        shmem_barrier_all();
        mine = inbox;
        shmem_barrier_all();
    }
    seen = mine;
    (void)seen;
    shmem_finalize();
    return 0;
}
