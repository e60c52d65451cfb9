/* thrille: n=1,2 */
/* The task that creates another one reads its result before it has waited. */
#include <shmem.h>
static int x;
int main(void)
{
    shmem_init();
    volatile int seen = 0;
#pragma omp parallel
#pragma omp single
    {
#pragma omp task
        x = 1; /* race: a */
        seen = x; /* race: a */
#pragma omp taskwait
    }
    (void)seen;
    shmem_finalize();
    return 0;
}
