/* thrille: n=1 */
/* Taskyield orders nothing. */
#include <shmem.h>
static int x, y;
int main(void)
{
    shmem_init();
#pragma omp parallel
#pragma omp single
    {
#pragma omp task
        x = 1;
#pragma omp taskwait
        y = x;
    }
    shmem_finalize();
    return 0;
}
