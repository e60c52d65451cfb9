/* thrille: n=1 */
/* Dependences order siblings only. */
#include <shmem.h>
static int x, y;
int main(void)
{
    shmem_init();
#pragma omp parallel num_threads(4)
#pragma omp single
    {
        {
#pragma omp task depend(out : x)
            x = 1;
        }
#pragma omp task depend(in : x)
        y = x;
    }
    shmem_finalize();
    return 0;
}
