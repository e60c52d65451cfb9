/* thrille: n=2 */
/* Tasks that reduce; and a loop of tasks that does. */
#include <omp.h>
#include <shmem.h>

static long sum, all;

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
        }
#pragma omp taskloop reduction(+ : all) grainsize(2)
        for (int i = 0; i < 20; i++)
            all += i;
        all += sum;
    }
    shmem_finalize();
    return 0;
}
