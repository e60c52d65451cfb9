/* thrille: n=2 */
/* Two single regions with a barrier in between: the one at the end of the first. */
#include <shmem.h>

static long x;

int main(void)
{
    shmem_init();
#pragma omp parallel num_threads(2)
    {
#pragma omp single
        x = 1;
#pragma omp single nowait
        x = 2;
    }
    shmem_finalize();
    return 0;
}
