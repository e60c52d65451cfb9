/* thrille: n=2 */
/* Two tasks of a rank put to one place of another rank; that each completes its own does not order them. */
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
            shmem_int_put(&x[0], &value, 1, to); /* race: a a */
            shmem_quiet();
        }
    }
    shmem_barrier_all();
    shmem_finalize();
    return 0;
}
