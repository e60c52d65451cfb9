/* thrille: n=1,2 */
/* A taskwait waits for children, not for their children. */
#include <shmem.h>
static int x;
int main(void)
{
    shmem_init();
#pragma omp parallel
#pragma omp single
    {
#pragma omp task
        {
#pragma omp task
            x = 1; /* race: a */
        }
#pragma omp taskwait
        x = 2; /* race: a */
    }
    shmem_finalize();
    return 0;
}
