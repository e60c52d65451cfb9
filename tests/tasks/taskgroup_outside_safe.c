/* thrille: n=1,2 */
/* The first task is created in it too. */
#include <shmem.h>
static int x, y;
int main(void)
{
    shmem_init();
#pragma omp parallel
#pragma omp single
    {
#pragma omp taskgroup
        {
#pragma omp task
            x = 1;
#pragma omp task
            y = 1;
        }
        x = 2;
    }
    shmem_finalize();
    return 0;
}
