/* thrille: n=2 */
/* The same with a barrier. */
#include <omp.h>
#include <shmem.h>

static long x;

int main(void)
{
    shmem_init();
#pragma omp parallel num_threads(3)
    {
        volatile long seen;
#pragma omp master
        x = 1;
#pragma omp barrier
        seen = x;
        (void)seen;
    }
    shmem_finalize();
    return 0;
}
