/* thrille: n=2 */
/* Sections use memory that one thread has made for all. */
#include <shmem.h>
#include <stdlib.h>

static long out[4];

int main(void)
{
    shmem_init();
    long *scratch = malloc(sizeof *scratch);
#pragma omp parallel num_threads(2)
    {
#pragma omp sections
        {
#pragma omp section
            *scratch = 1; /* race: a */
#pragma omp section
            *scratch = 2; /* race: a */
        }
    }
    out[0] = *scratch;
    free(scratch);
    shmem_finalize();
    return 0;
}
