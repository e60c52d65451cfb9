/* thrille: n=1 */
/* Mutexinoutset before in. */
#include <shmem.h>
static int x, z;
int main(void)
{
    shmem_init();
#pragma omp parallel num_threads(4)
#pragma omp single
    {
#pragma omp task depend(mutexinoutset : x)
        x += 1;
#pragma omp task depend(mutexinoutset : x)
        x += 2;
#pragma omp task depend(in : x)
        z = x;
    }
    shmem_finalize();
    return 0;
}
