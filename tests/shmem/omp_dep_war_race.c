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
        y = x; /* race: a */
#pragma omp task depend(in : x)
        z = x; /* race: b */
#pragma omp task depend(out : z)
        x = 2; /* race: a b */
    }
    shmem_finalize();
    return 0;
}
