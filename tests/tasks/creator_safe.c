/* thrille: n=1,2 */
/* It waits first. */
#include <shmem.h>
static int x;
int main(void)
{
    shmem_init();
    volatile int seen = 0;
#pragma omp parallel
#pragma omp single
    {
#pragma omp task
        x = 1;
#pragma omp taskwait
        seen = x;
    }
    (void)seen;
    shmem_finalize();
    return 0;
}
