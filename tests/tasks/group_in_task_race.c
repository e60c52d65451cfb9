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
            {
#pragma omp task
                {
#pragma omp task
                    x = 1; /* race: a */
                }
            }
            y = x; /* race: a */
        }
    }
    shmem_finalize();
    return 0;
}
