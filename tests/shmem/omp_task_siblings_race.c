/* thrille: n=2 */
/* Two tasks of one parent write the same variable. One thread may well run both, and nothing says in which order. */
#include <omp.h>
#include <shmem.h>

static long x;

int main(void)
{
    shmem_init();
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp task
        x = 1; /* race: a */
#pragma omp task
        x = 2; /* race: a */
    }
    shmem_finalize();
    return 0;
}
