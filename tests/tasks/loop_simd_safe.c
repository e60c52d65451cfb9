/* thrille: n=1 */
/* Taskloop simd. */
#include <shmem.h>
static int a[20];
int main(void)
{
    shmem_init();
#pragma omp parallel
#pragma omp single
    {
#pragma omp taskloop simd grainsize(4)
        for (int i = 0; i < 16; i++)
            a[i] = 2 * i;
    }
    shmem_finalize();
    return 0;
}
