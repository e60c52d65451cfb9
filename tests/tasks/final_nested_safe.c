/* thrille: n=1 */
/* Tasks in a final task are included, and theirs. */
#include <shmem.h>
static int x;
int main(void)
{
    shmem_init();
#pragma omp parallel
#pragma omp single
    {
#pragma omp task final(1)
        {
#pragma omp task
            {
#pragma omp task
                x = 1;
                x = 2;
            }
        }
    }
    shmem_finalize();
    return 0;
}
