/* thrille: n=2 */
/* Waiting for the children is not waiting for their children. */
#include <omp.h>
#include <shmem.h>

static long x, y;

int main(void)
{
    shmem_init();
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp task
        {
#pragma omp task
            x = 1; /* race: a */
        }
#pragma omp taskwait
        y = x; /* race: a */
    }
    shmem_finalize();
    return 0;
}
