/* thrille: n=2 */
/* To two places. */
#include <shmem.h>
static int x[2];
int main(void)
{
    shmem_init();
    int to = (shmem_my_pe() + 1) % shmem_n_pes();
    shmem_barrier_all();
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < 2; i++) {
#pragma omp task
        {
            int value = i;
            shmem_int_put(&x[i], &value, 1, to);
            shmem_quiet();
        }
    }
    shmem_barrier_all();
    shmem_finalize();
    return 0;
}
