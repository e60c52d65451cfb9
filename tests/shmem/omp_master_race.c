/* thrille: n=2 */
/* A master construct has no barrier at its end. */
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
        x = 1; /* race: a */
        seen = x; /* race: a */
        (void)seen;
    }
    shmem_finalize();
    return 0;
}
