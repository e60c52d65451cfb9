/* thrille: n=1,2 */
/* Two tasks share a block. */
#include <shmem.h>
#include <stdlib.h>
static void use(int *p)
{
    p[1] = 1; /* race: a a */
}
int main(void)
{
    shmem_init();
#pragma omp parallel
#pragma omp single
    {
        int *p = malloc(64);
#pragma omp task
        use(p);
#pragma omp task
        use(p);
#pragma omp taskwait
        free(p);
    }
    shmem_finalize();
    return 0;
}
