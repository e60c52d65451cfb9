/* thrille: n=2,4 */
/* One buffer and one barrier a step: the next step's put may overwrite the halo while the neighbour still reads
   it. */
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
        int k = 0;
        shmem_double_put(&halo[k], &edge, 1, (me + 1) % n); /* race: a */
        shmem_barrier_all();
        sum += halo[k]; /* race: a */
        edge = sum;
    }
    seen = (long)sum;
    (void)seen;
    shmem_finalize();
    return 0;
}
