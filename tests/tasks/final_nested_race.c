/* thrille: n=1 */
/* Tasks in a final task are included, and theirs. */
#include <shmem.h>
static int x;
int main(void)
{
    shmem_init();
#pragma omp parallel
#pragma omp single
    {
#pragma omp task final(0)
        {
#pragma omp task
            {
#pragma omp task
                x = 1; /* race: a */
                x = 2; /* race: a */
            }
        }
    }
    shmem_finalize();
    return 0;
}
