/* thrille: n=1 */
/* Tasks that are created inside a critical section are outside it. */
#include <shmem.h>
static int x;
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
#pragma omp task
                x += 1; /* race: a */
            }
        }
#pragma omp task
        {
#pragma omp critical
            x += 2; /* race: a */
        }
    }
    shmem_finalize();
    return 0;
}
