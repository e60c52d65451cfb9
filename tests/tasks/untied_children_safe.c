/* thrille: n=1 */
/* An untied task waits for its children. */
#include <shmem.h>
static int x, y;
int main(void)
{
    shmem_init();
#pragma omp parallel
#pragma omp single
    {
#pragma omp task untied
        {
#pragma omp task untied
            x = 1;
#pragma omp taskwait
            y = x;
        }
    }
    shmem_finalize();
    return 0;
}
