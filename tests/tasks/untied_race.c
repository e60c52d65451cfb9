/* thrille: n=1 */
/* Untied tasks with scheduling points. */
#include <shmem.h>
static int x, y, z, t;
int main(void)
{
    shmem_init();
#pragma omp parallel
#pragma omp single
    {
#pragma omp task untied
        {
            x = 1; /* race: a */
#pragma omp taskyield
            t = 1;
        }
#pragma omp task untied
        {
            y = x; /* race: a */
#pragma omp taskyield
            z = 1;
        }
    }
    shmem_finalize();
    return 0;
}
