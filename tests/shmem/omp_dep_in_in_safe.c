/* thrille: n=1 */
/* Two tasks with in dependences are not ordered. */
#include <shmem.h>
static int x, y;
int main(void)
{
    shmem_init();
#pragma omp parallel num_threads(4)
#pragma omp single
    {
#pragma omp task depend(inout : x)
        y += 1;
#pragma omp task depend(inout : x)
        y += 2;
    }
    shmem_finalize();
    return 0;
}
