/* thrille: n=2 */
/* The master waits for sections that others carry out, at the barrier behind them. */
#include <shmem.h>

static long x, y;

int main(void)
{
    shmem_init();
#pragma omp parallel num_threads(2)
    {
#pragma omp sections
        {
#pragma omp section
            y = 1;
#pragma omp section
            x = 1;
        }
#pragma omp master
        x = 2;
    }
    shmem_finalize();
    return 0;
}
