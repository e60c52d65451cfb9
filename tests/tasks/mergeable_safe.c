/* thrille: n=1 */
/* Mergeable tasks. */
#include <shmem.h>
static int x;
int main(void)
{
    shmem_init();
#pragma omp parallel
#pragma omp single
    {
#pragma omp task mergeable
        x = 1;
#pragma omp taskwait
#pragma omp task mergeable
        x = 2;
    }
    shmem_finalize();
    return 0;
}
