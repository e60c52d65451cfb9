/* thrille: n=2,4 */
/* All twenty rounds complete the put with shmem_barrier_all before the load. */
#include <shmem.h>

static long x;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    volatile long seen = 0;
    for (int round = 0; round < 20; round++) {
        if (me == 0)
            shmem_long_p(&x, round, 1);
        shmem_barrier_all();
        if (me == 1)
            seen = x;
        shmem_barrier_all();
    }
    (void)seen;
    shmem_finalize();
    return 0;
}
