/* thrille: n=1 */
/* Dependences through pointers. */
#include <shmem.h>
static int x, y, z;
int main(void)
{
    shmem_init();
#pragma omp parallel num_threads(4)
#pragma omp single
    {
        int *q = &x;
#pragma omp task depend(out : *q)
        z = 1;
#pragma omp task depend(in : x)
        y = z;
#pragma omp taskwait
    }
    shmem_finalize();
    return 0;
}
