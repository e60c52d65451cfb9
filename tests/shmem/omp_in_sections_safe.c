/* thrille: n=1 */
/* Tasks that sections create. */
#include <shmem.h>
static int x, y;
int main(void)
{
    shmem_init();
#pragma omp parallel num_threads(4)
    {
#pragma omp sections
        {
#pragma omp section
            {
#pragma omp task
                x = 1;
            }
#pragma omp section
            {
#pragma omp task
                y = 1;
            }
        }
    }
    shmem_finalize();
    return 0;
}
