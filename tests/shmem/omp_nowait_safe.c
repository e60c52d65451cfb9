/* thrille: n=2 */
/* The barrier at the end of the first loop orders the two. */
#include <omp.h>
#include <shmem.h>

static volatile long a[8], b[8];

int main(void)
{
    shmem_init();
#pragma omp parallel num_threads(2)
    {
#pragma omp for schedule(static)
        for (int i = 0; i < 8; i++)
            a[i] = i;
#pragma omp for schedule(static)
        for (int i = 0; i < 8; i++)
            b[i] = a[7 - i];
    }
    shmem_finalize();
    return 0;
}
