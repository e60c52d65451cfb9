/* thrille: n=1 */
/* Tasks that sections create. */
#include <shmem.h>
static int x;
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
                x = 1; /* race: a */
            }
#pragma omp section
            {
#pragma omp task
                x = 2; /* race: a */
            }
        }
    }
    shmem_finalize();
    return 0;
}
