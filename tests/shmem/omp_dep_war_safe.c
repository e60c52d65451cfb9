/* thrille: n=1 */
/* A writer after two readers. */
#include <shmem.h>
static int x, y, z;
int main(void)
{
    shmem_init();
#pragma omp parallel num_threads(4)
#pragma omp single
    {
#pragma omp task depend(in : x)
        y = x;
#pragma omp task depend(in : x)
        z = x;
#pragma omp task depend(out : x)
        x = 2;
    }
    shmem_finalize();
    return 0;
}
