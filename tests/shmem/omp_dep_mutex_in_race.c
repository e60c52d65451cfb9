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
        z = 1; /* race: a */
#pragma omp task depend(mutexinoutset : x)
        z += 1; /* race: b */
#pragma omp task depend(inout : x)
        z += 2; /* race: c */
        z += 3; /* race: a b c */
    }
    shmem_finalize();
    return 0;
}
