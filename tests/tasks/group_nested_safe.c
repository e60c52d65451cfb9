/* thrille: n=1 */
/* An inner taskgroup waits for its own tasks. */
#include <shmem.h>
static int x, y, z;
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
#pragma omp taskgroup
            {
#pragma omp task
                y = 1;
            }
            z = y;
        }
    }
    shmem_finalize();
    return 0;
}
