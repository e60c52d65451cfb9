/* thrille: n=1 */
/* Mutexinoutset before in. */
#include <shmem.h>
static int x, y, z;
int main(void)
{
    shmem_init();
#pragma omp parallel num_threads(4)
#pragma omp single
    {
#pragma omp task depend(mutexinoutset : x)
        x += 1; /* race: a */
#pragma omp task depend(mutexinoutset : x)
        x += 2; /* race: b */
#pragma omp task depend(in : y)
        z = x; /* race: a b */
    }
    shmem_finalize();
    return 0;
}
