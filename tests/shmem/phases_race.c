/* thrille: n=2,4 */
/* Of twenty rounds one ends its first half with shmem_sync_all, which does not complete the put. */
#include <shmem.h>

static long x;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    volatile long seen = 0;
    for (int round = 0; round < 20; round++) {
        if (me == 0)
            shmem_long_p(&x, round, 1); /* race: a */
        if (round == 13)
            shmem_sync_all();
        else
            shmem_barrier_all();
        if (me == 1)
            seen = x; /* race: a */
        shmem_barrier_all();
    }
    (void)seen;
    shmem_finalize();
    return 0;
}
