/* thrille: n=1 */
/* A taskgroup in a task. */
#include <shmem.h>
static int x, y;
int main(void)
{
    shmem_init();
#pragma omp parallel
#pragma omp single
    {
#pragma omp task
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
    }
    shmem_finalize();
    return 0;
}
