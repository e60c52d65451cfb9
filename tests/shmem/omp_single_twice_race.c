/* thrille: n=2 */
/* Two single regions without a barrier in between may go to two threads. */
#include <shmem.h>

static long x;

int main(void)
{
    shmem_init();
#pragma omp parallel num_threads(2)
    {
#pragma omp single nowait
        x = 1; /* race: a */
#pragma omp single nowait
        x = 2; /* race: a */
    }
    shmem_finalize();
    return 0;
}
