/* thrille: n=1 */
/* Mutexinoutset of two variables, one in common. */
#include <shmem.h>
static int x, y, z, t;
int main(void)
{
    shmem_init();
#pragma omp parallel num_threads(4)
#pragma omp single
    {
#pragma omp task depend(mutexinoutset : x, y)
        z += 1; /* race: a */
#pragma omp task depend(mutexinoutset : t)
        z += 2; /* race: a */
    }
    shmem_finalize();
    return 0;
}
