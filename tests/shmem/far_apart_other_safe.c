/* thrille: n=2 */
/* The barrier orders the put of PE 0 before the late load of PE 1. */
#include <shmem.h>

static long x;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    volatile long seen = 0;
    if (me == 0)
        shmem_long_p(&x, 1, 1);
    shmem_barrier_all();
    if (me == 1) {
        for (volatile long work = 0; work < 3000000; work++)
            ;
        seen = x;
    }
    (void)seen;
    shmem_finalize();
    return 0;
}
