/* thrille: n=2 */
/* A taskgroup waits for all that come from it. */
#include <omp.h>
#include <shmem.h>

static long x, y;

int main(void)
{
    shmem_init();
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp taskgroup
        {
#pragma omp task
            {
#pragma omp task
                x = 1;
            }
        }
        y = x;
    }
    shmem_finalize();
    return 0;
}
