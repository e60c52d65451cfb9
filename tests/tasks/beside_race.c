/* thrille: n=2 */
/* The race of two ranks is found beside those of tasks. */
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
        y = 1; /* race: a */
#pragma omp task
        y = 2; /* race: a */
    }
    if (shmem_my_pe() == 0)
        shmem_int_put(&x, &one, 1, to); /* race: b */
    else
        x = 2; /* race: b */
    shmem_barrier_all();
    shmem_finalize();
    return 0;
}
