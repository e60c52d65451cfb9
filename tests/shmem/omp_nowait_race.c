/* thrille: n=2 */
/* The first loop does not wait, and the second one reads what other threads write. */
#include <omp.h>
#include <shmem.h>

static volatile long a[8], b[8];

int main(void)
{
    shmem_init();
#pragma omp parallel num_threads(2)
    {
#pragma omp for schedule(static) nowait
        for (int i = 0; i < 8; i++)
            a[i] = i; /* race: a */
#pragma omp for schedule(static)
        for (int i = 0; i < 8; i++)
            b[i] = a[7 - i]; /* race: a */
    }
    shmem_finalize();
    return 0;
}
