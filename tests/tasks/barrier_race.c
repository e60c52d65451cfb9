/* thrille: n=1,2 */
/* A single without a barrier at its end: tasks created in it may still run. */
#include <shmem.h>
static int x;
int main(void)
{
    shmem_init();
#pragma omp parallel
    {
#pragma omp single nowait
        {
#pragma omp task
            x = 1; /* race: a */
        }
#pragma omp single
        x = 2; /* race: a */
    }
    shmem_finalize();
    return 0;
}
