/* thrille: n=1 */
/* Mutexinoutset and in exclude and order: in comes after. */
#include <shmem.h>
static int x, z;
int main(void)
{
    shmem_init();
#pragma omp parallel num_threads(4)
#pragma omp single
    {
#pragma omp task depend(out : x)
        z = 1;
#pragma omp task depend(mutexinoutset : x)
        z += 1;
#pragma omp task depend(inout : x)
        z += 2;
#pragma omp taskwait
        z += 3;
    }
    shmem_finalize();
    return 0;
}
