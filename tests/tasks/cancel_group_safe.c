/* thrille: n=1 */
/* A taskgroup that can be cancelled. */
#include <shmem.h>
static int x, y, z, t;
int main(void)
{
    shmem_init();
#pragma omp parallel
#pragma omp single
    {
#pragma omp taskgroup
        {
#pragma omp task
            {
                x = 1;
#pragma omp cancel taskgroup if (t == 2)
            }
#pragma omp task
            {
#pragma omp cancellation point taskgroup
                y = 1;
            }
        }
        z = x;
    }
    shmem_finalize();
    return 0;
}
