/* thrille: n=1,2 */
/* Critical sections of different names do not exclude each other. */
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
#pragma omp critical(one)
            x = 1; /* race: a */
        }
#pragma omp task
        {
#pragma omp critical(two)
            x = 2; /* race: a */
        }
    }
    shmem_finalize();
    return 0;
}
