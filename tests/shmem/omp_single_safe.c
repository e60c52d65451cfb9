/* thrille: n=2 */
/* A single construct ends in a barrier. */
#include <omp.h>
#include <shmem.h>

static long x;

int main(void)
{
    shmem_init();
#pragma omp parallel num_threads(3)
    {
        volatile long seen;
#pragma omp single
        x = 1;
        seen = x;
        (void)seen;
    }
    shmem_finalize();
    return 0;
}
