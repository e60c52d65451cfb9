/* thrille: n=1,2 */
/* The first is waited for before the second is created. */
#include <shmem.h>
static int x;
int main(void)
{
    shmem_init();
#pragma omp parallel
#pragma omp single
    {
#pragma omp task
        x = 1;
#pragma omp taskwait
#pragma omp task
        x = 2;
    }
    shmem_finalize();
    return 0;
}
