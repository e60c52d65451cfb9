/* thrille: n=1,2 */
/* Both updates are atomic. */
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
#pragma omp atomic
            x += 1;
        }
#pragma omp task
        {
#pragma omp atomic
            x += 2;
        }
    }
    shmem_finalize();
    return 0;
}
