/* thrille: n=1 */
/* What depends on a task does not wait for its children. */
#include <shmem.h>
static int x, y;
int main(void)
{
    shmem_init();
#pragma omp parallel num_threads(4)
#pragma omp single
    {
#pragma omp task depend(out : x)
        {
#pragma omp task
            x = 1;
#pragma omp taskwait
        }
#pragma omp task depend(in : x)
        y = x;
    }
    shmem_finalize();
    return 0;
}
