/* thrille: n=1,2 */
/* It is waited for. */
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
        p[0] = 1;
#pragma omp taskwait
        free(p);
    }
    shmem_finalize();
    return 0;
}
