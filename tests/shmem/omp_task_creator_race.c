/* thrille: n=2 */
/* A task, and what its creator does before it waits for it. */
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
        x = 1; /* race: a */
        y = x; /* race: a */
#pragma omp taskwait
    }
    shmem_finalize();
    return 0;
}
