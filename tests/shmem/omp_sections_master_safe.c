/* thrille: n=2 */
/* Sections, the barrier at their end, and what the master does behind them; what a thread does because it had a section comes after that. */
#include <shmem.h>

static long first, second, third;

int main(void)
{
    shmem_init();
#pragma omp parallel num_threads(3)
    {
        int had = 0;
#pragma omp sections
        {
#pragma omp section
            first = 1;
#pragma omp section
            second = 1;
#pragma omp section
            {
                third = 1;
                had = 1;
            }
        }
        if (had)
            third += 1;
#pragma omp master
        {
            first += 1;
            second += 1;
        }
    }
    shmem_finalize();
    return 0;
}
