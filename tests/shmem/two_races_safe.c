/* thrille: n=2 */
/* The barrier orders both pairs. */
#include <shmem.h>

static long x, y;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    volatile long seen = 0;
    if (me == 0) {
        shmem_long_p(&x, 1, 1);
        shmem_long_p(&y, 1, 1);
    }
    shmem_barrier_all();
    if (me == 1) {
        seen = x;
        y = 2;
    }
    (void)seen;
    shmem_finalize();
    return 0;
}
