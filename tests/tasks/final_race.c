/* thrille: n=1,2 */
/* Tasks of an ordinary task are parallel to it. */
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
            x = 2; /* race: a */
        }
    }
    shmem_finalize();
    return 0;
}
