/* thrille: n=1 */
/* Tasks of a master region, then a barrier or none. */
#include <shmem.h>
static int x, y;
int main(void)
{
    shmem_init();
#pragma omp parallel num_threads(4)
    {
#pragma omp master
        {
#pragma omp task
            x = 1;
        }
#pragma omp barrier
#pragma omp single
        y = x;
    }
    shmem_finalize();
    return 0;
}
