/* thrille: n=1,2 */
/* Those of one name do. */
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
#pragma omp critical(one)
            x = 1;
        }
#pragma omp task
        {
#pragma omp critical(one)
            x = 2;
        }
    }
    shmem_finalize();
    return 0;
}
