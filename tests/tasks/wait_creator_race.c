/* thrille: n=1 */
/* A task's wait is not its creator's. */
#include <shmem.h>
static int x, y, z;
int main(void)
{
    shmem_init();
#pragma omp parallel
#pragma omp single
    {
#pragma omp task
        {
#pragma omp task
            z = 1;
#pragma omp taskwait
            x = z; /* race: a */
        }
        y = x; /* race: a */
    }
    shmem_finalize();
    return 0;
}
