/* thrille: n=1,2 */
/* The barrier at its end waits for all tasks. */
#include <shmem.h>
static int x;
int main(void)
{
    shmem_init();
#pragma omp parallel
    {
#pragma omp single
        {
#pragma omp task
            x = 1;
        }
#pragma omp single
        x = 2;
    }
    shmem_finalize();
    return 0;
}
