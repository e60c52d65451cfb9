/* thrille: n=1 */
/* Priority orders nothing. */
#include <shmem.h>
static int x;
int main(void)
{
    shmem_init();
#pragma omp parallel
#pragma omp single
    {
#pragma omp task priority(5)
        x = 1;
#pragma omp taskwait
#pragma omp task priority(1)
        x = 2;
    }
    shmem_finalize();
    return 0;
}
