/* thrille: n=1 */
/* Priority orders nothing. */
#include <shmem.h>
static int x;
int main(void)
{
    shmem_init();
#pragma omp parallel
#pragma omp single
    {
#pragma omp task priority(5)
        x = 1; /* race: a */
#pragma omp task priority(1)
        x = 2; /* race: a */
    }
    shmem_finalize();
    return 0;
}
