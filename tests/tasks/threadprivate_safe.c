/* thrille: n=1,2 */
/* Each thread has its own, which only looks like one when one thread runs all tasks. */
#include <shmem.h>
static int x;
#pragma omp threadprivate(x)
int main(void)
{
    shmem_init();
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < 2; i++) {
#pragma omp task
        x = i;
    }
    shmem_finalize();
    return 0;
}
