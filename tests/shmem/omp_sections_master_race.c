/* thrille: n=2 */
/* The master does not wait for sections without a barrier that others carry out. */
#include <shmem.h>

static long x, y;

int main(void)
{
    shmem_init();
#pragma omp parallel num_threads(2)
    {
#pragma omp sections nowait
        {
#pragma omp section
            y = 1;
#pragma omp section
            x = 1; /* race: a */
        }
#pragma omp master
        x = 2; /* race: a */
    }
    shmem_finalize();
    return 0;
}
