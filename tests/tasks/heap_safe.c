/* thrille: n=1,2 */
/* Each allocates its own, which are at one address, one after the other. */
#include <shmem.h>
#include <stdlib.h>
static void use(int *p)
{
    p[1] = 1;
}
int main(void)
{
    shmem_init();
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < 10; i++) {
#pragma omp task
        {
            int *p = malloc(64);
            use(p);
            free(p);
        }
    }
    shmem_finalize();
    return 0;
}
