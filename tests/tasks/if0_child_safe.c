/* thrille: n=1 */
/* An undeferred task leaves its child behind. */
#include <shmem.h>
static int x, y;
int main(void)
{
    shmem_init();
#pragma omp parallel
#pragma omp single
    {
#pragma omp task if (0)
        {
#pragma omp task
            x = 1;
#pragma omp taskwait
        }
        y = x;
    }
    shmem_finalize();
    return 0;
}
