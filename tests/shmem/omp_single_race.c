/* thrille: n=2 */
/* The others do not wait for the one that writes. */
#include <omp.h>
#include <shmem.h>

static long x;

int main(void)
{
    shmem_init();
#pragma omp parallel num_threads(3)
    {
        volatile long seen;
#pragma omp single nowait
        x = 1; /* race: a */
        seen = x; /* race: a */
        (void)seen;
    }
    shmem_finalize();
    return 0;
}
