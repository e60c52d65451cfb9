/* thrille: n=2 */
/* Two sections overlap in one element, also when one thread carries out both. */
#include <shmem.h>

static long x[100];

int main(void)
{
    shmem_init();
#pragma omp parallel num_threads(2)
    {
#pragma omp sections
        {
#pragma omp section
            for (int i = 0; i < 50; i++)
                x[i] = i; /* race: a */
#pragma omp section
            for (int i = 49; i < 100; i++)
                x[i] = i; /* race: a */
        }
    }
    shmem_finalize();
    return 0;
}
