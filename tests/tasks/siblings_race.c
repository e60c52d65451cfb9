/* thrille: n=1,2 */
/* Two tasks write the same variable: nothing orders siblings. */
#include <shmem.h>
static int x;
int main(void)
{
    shmem_init();
#pragma omp parallel
#pragma omp single
    {
#pragma omp task
        x = 1; /* race: a */
#pragma omp task
        x = 2; /* race: a */
    }
    shmem_finalize();
    return 0;
}
