/* thrille: n=2,4 */
/* Two buffers used in turn: a buffer is put to again only after the barrier of the step between. */
#include <shmem.h>

static double halo[2];

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    volatile long seen = 0;
    int n = shmem_n_pes();
    double edge = me, sum = 0;
    for (int step = 0; step < 6; step++) {
        int k = step % 2;
        shmem_double_put(&halo[k], &edge, 1, (me + 1) % n);
        shmem_barrier_all();
        sum += halo[k];
        edge = sum;
    }
    seen = (long)sum;
    (void)seen;
    shmem_finalize();
    return 0;
}
