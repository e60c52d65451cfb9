/* thrille: n=2 */
/* Iterations of a dynamic loop go to whoever comes first: two that add to one variable race, however short the loop is. */
#include <shmem.h>
#include <stdlib.h>

static long sum;

int main(void)
{
    shmem_init();
#pragma omp parallel num_threads(3)
    {
        long *scratch = malloc(4 * sizeof *scratch);
#pragma omp for schedule(dynamic)
        for (int i = 0; i < 12; i++) {
            scratch[i % 4] = i;
            sum += scratch[i % 4]; /* race: a a */
        }
        free(scratch);
    }
    shmem_finalize();
    return 0;
}
