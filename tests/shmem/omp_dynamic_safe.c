/* thrille: n=2 */
/* Iterations of a dynamic loop use memory that each thread has its own of, and add to copies of one variable. */
#include <shmem.h>
#include <stdlib.h>

static long sum;

int main(void)
{
    shmem_init();
#pragma omp parallel num_threads(3)
    {
        long *scratch = malloc(4 * sizeof *scratch);
#pragma omp for schedule(dynamic) reduction(+ : sum)
        for (int i = 0; i < 12; i++) {
            scratch[i % 4] = i;
            sum += scratch[i % 4];
        }
        free(scratch);
    }
    shmem_finalize();
    return 0;
}
