/* thrille: n=1 */
/* Affinity orders nothing. */
#include <shmem.h>
static int x;
int main(void)
{
    shmem_init();
#pragma omp parallel
#pragma omp single
    {
#pragma omp task affinity(x)
        x = 1; /* race: a */
#pragma omp task affinity(x)
        x = 2; /* race: a */
    }
    shmem_finalize();
    return 0;
}
