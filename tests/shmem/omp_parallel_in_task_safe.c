/* thrille: n=1 */
/* A parallel region in a task. */
#include <shmem.h>
static int x, y;
int main(void)
{
    shmem_init();
#pragma omp parallel num_threads(4)
#pragma omp single
    {
#pragma omp task
        {
#pragma omp parallel num_threads(2)
#pragma omp single
            x = 1;
        }
#pragma omp taskwait
        y = x;
    }
    shmem_finalize();
    return 0;
}
