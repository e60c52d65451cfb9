/* thrille: n=1,2 */
/* A block is given back while a task may still use it. */
#include <shmem.h>
#include <stdlib.h>
static int *p;
int main(void)
{
    shmem_init();
#pragma omp parallel
#pragma omp single
    {
        p = malloc(64);
#pragma omp task
        p[0] = 1; /* race: a */
        free(p); /* race: a */
    }
    shmem_finalize();
    return 0;
}
