/* thrille: n=1 */
/* Affinity orders nothing. */
#include <shmem.h>
static int x;
int main(void)
{
    shmem_init();
#pragma omp parallel
#pragma omp single
    {
#pragma omp task affinity(x)
        x = 1;
#pragma omp taskwait
#pragma omp task affinity(x)
        x = 2;
    }
    shmem_finalize();
    return 0;
}
