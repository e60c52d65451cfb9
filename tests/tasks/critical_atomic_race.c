/* thrille: n=1 */
/* Critical does not exclude atomic. */
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
            x += 1; /* race: a */
        }
#pragma omp task
        {
#pragma omp atomic
            x += 1; /* race: a */
        }
    }
    shmem_finalize();
    return 0;
}
