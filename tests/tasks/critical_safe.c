/* thrille: n=1,2 */
/* Both are in it: excluded, though not ordered. */
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
            x = 1;
        }
#pragma omp task
        {
#pragma omp critical
            x = 2;
        }
    }
    shmem_finalize();
    return 0;
}
