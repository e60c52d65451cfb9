/* thrille: n=2 */
/* Iterations of a loop of tasks add to one variable. */
#include <omp.h>
#include <shmem.h>

static long sum;

int main(void)
{
    shmem_init();
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp taskloop grainsize(2)
        for (int i = 0; i < 20; i++)
            sum += i; /* race: a a */
    }
    shmem_finalize();
    return 0;
}
