/* thrille: n=1 */
/* A chain of inout; one link is missing. */
#include <shmem.h>
static int x, y, z, t;
int main(void)
{
    shmem_init();
#pragma omp parallel num_threads(4)
#pragma omp single
    {
#pragma omp task depend(inout : x)
        y = 1; /* race: a */
#pragma omp task depend(inout : z)
        t = 1;
#pragma omp task depend(inout : z)
        y = 2; /* race: a */
    }
    shmem_finalize();
    return 0;
}
