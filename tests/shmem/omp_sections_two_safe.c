/* thrille: n=2 */
/* Two sections on halves of an array. */
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
                x[i] = i;
#pragma omp section
            for (int i = 50; i < 100; i++)
                x[i] = i;
        }
    }
    shmem_finalize();
    return 0;
}
