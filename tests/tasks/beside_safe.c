/* thrille: n=2 */
/* A barrier between the ranks; tasks of a rank are waited for. */
#include <shmem.h>
static int x, y;
int main(void)
{
    shmem_init();
    int to = (shmem_my_pe() + 1) % shmem_n_pes(), one = 1;
    shmem_barrier_all();
#pragma omp parallel
#pragma omp single
    {
#pragma omp task
        y = 1;
#pragma omp taskwait
#pragma omp task
        y = 2;
    }
    if (shmem_my_pe() == 0)
        shmem_int_put(&x, &one, 1, to);
    shmem_barrier_all();
    if (shmem_my_pe() != 0)
        x = 2;
    shmem_barrier_all();
    shmem_finalize();
    return 0;
}
