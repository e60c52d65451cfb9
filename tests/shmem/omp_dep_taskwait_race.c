/* thrille: n=1 */
/* Taskwait depend waits for the one task. */
#include <shmem.h>
static int x, y, t;
int main(void)
{
    shmem_init();
#pragma omp parallel num_threads(4)
#pragma omp single
    {
#pragma omp task depend(out : x)
        x = 1;
#pragma omp task depend(out : y)
        y = 1; /* race: a */
#pragma omp taskwait depend(in : x)
        t = x + y; /* race: a */
    }
    shmem_finalize();
    return 0;
}
