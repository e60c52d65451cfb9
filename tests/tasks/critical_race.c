/* thrille: n=1,2 */
/* One of two tasks writes outside of the critical section. */
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
#pragma omp critical
            x = 1; /* race: a */
        }
#pragma omp task
        x = 2; /* race: a */
    }
    shmem_finalize();
    return 0;
}
