/* thrille: n=2 */
/* Tasks add to one variable, which only some of them reduce into. */
#include <omp.h>
#include <shmem.h>

static long sum, other;

int main(void)
{
    shmem_init();
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp taskgroup task_reduction(+ : sum)
        for (int i = 0; i < 20; i++) {
#pragma omp task in_reduction(+ : sum)
            sum += i;
#pragma omp task
            other += i; /* race: a a */
        }
    }
    shmem_finalize();
    return 0;
}
