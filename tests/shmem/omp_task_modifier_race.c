/* thrille: n=2 */
/* A reduction that tasks of the region take part in: each thread has a copy, which one of them may begin for all. */
#include <shmem.h>

static int plain;

int main(void)
{
    shmem_init();
    int sum = 0;
#pragma omp parallel num_threads(3) reduction(task, + : sum)
    {
#pragma omp single
        for (int i = 0; i < 6; i++) {
#pragma omp task in_reduction(+ : sum) firstprivate(i)
            {
                sum += i;
                plain += i; /* race: a a */
            }
        }
    }
    volatile int seen = sum + plain;
    (void)seen;
    shmem_finalize();
    return 0;
}
