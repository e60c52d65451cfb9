/* thrille: n=1 */
/* A final task's children are undeferred, dependences or not. */
#include <shmem.h>
static int x, y, z;
int main(void)
{
    shmem_init();
#pragma omp parallel num_threads(4)
#pragma omp single
    {
#pragma omp task
        {
#pragma omp task depend(out : x)
            x = 1; /* race: a */
#pragma omp task depend(out : y)
            z = x; /* race: a */
        }
    }
    shmem_finalize();
    return 0;
}
