/* thrille: n=1,2 */
/* A taskgroup waits for all of them. */
#include <shmem.h>
static int x;
int main(void)
{
    shmem_init();
#pragma omp parallel
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
        x = 2;
    }
    shmem_finalize();
    return 0;
}
