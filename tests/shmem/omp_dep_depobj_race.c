/* thrille: n=1 */
/* A depend object. */
#include <omp.h>
#include <shmem.h>
static int x, y, z;
int main(void)
{
    shmem_init();
#pragma omp parallel num_threads(4)
#pragma omp single
    {
        omp_depend_t of;
#pragma omp depobj(of) depend(inout : y)
#pragma omp task depend(inout : x)
        z = 1; /* race: a */
#pragma omp task depend(depobj : of)
        z = 2; /* race: a */
#pragma omp taskwait
#pragma omp depobj(of) destroy
    }
    shmem_finalize();
    return 0;
}
