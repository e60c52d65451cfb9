/* thrille: n=1 */
/* Mergeable tasks. */
#include <shmem.h>
static int x;
int main(void)
{
    shmem_init();
#pragma omp parallel
#pragma omp single
    {
#pragma omp task mergeable
        x = 1; /* race: a */
#pragma omp task mergeable
        x = 2; /* race: a */
    }
    shmem_finalize();
    return 0;
}
