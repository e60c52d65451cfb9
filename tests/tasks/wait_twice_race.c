/* thrille: n=1 */
/* A second wait waits for what came in between. */
#include <shmem.h>
static int x, y, z;
int main(void)
{
    shmem_init();
#pragma omp parallel
#pragma omp single
    {
#pragma omp task
        x = 1;
#pragma omp taskwait
#pragma omp task
        y = 1; /* race: a */
        z = x + y; /* race: a */
    }
    shmem_finalize();
    return 0;
}
