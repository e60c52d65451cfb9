/* thrille: n=1 */
/* An undeferred task waits for what it depends on, and for nothing else. */
#include <shmem.h>
static int x, y;
int main(void)
{
    shmem_init();
#pragma omp parallel num_threads(4)
#pragma omp single
    {
#pragma omp task depend(out : x)
        x = 1; /* race: a */
#pragma omp task if (0)
        y = x; /* race: a */
    }
    shmem_finalize();
    return 0;
}
