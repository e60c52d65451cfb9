/* thrille: n=1 */
/* Tasks that are created inside a critical section are outside it. */
#include <shmem.h>
static int x, t;
int main(void)
{
    shmem_init();
#pragma omp parallel
#pragma omp single
    {
#pragma omp task
        {
#pragma omp critical
            {
                x += 1;
#pragma omp task
                t += 1;
            }
        }
#pragma omp task
        {
#pragma omp critical
            x += 2;
        }
    }
    shmem_finalize();
    return 0;
}
