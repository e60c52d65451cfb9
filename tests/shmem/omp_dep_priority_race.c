/* thrille: n=1 */
/* Priority orders nothing. */
#include <shmem.h>
static int x, y, z;
int main(void)
{
    shmem_init();
#pragma omp parallel num_threads(4)
#pragma omp single
    {
#pragma omp task priority(10) depend(out : x)
        z = 1; /* race: a */
#pragma omp task priority(0) depend(out : y)
        z = 2; /* race: a */
    }
    shmem_finalize();
    return 0;
}
