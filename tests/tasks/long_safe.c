/* thrille: n=1,2 */
/* Ranges of several megabytes, next to each other. */
#include <shmem.h>
#include <stdlib.h>
#include <string.h>
int main(void)
{
    shmem_init();
    long len = 24 << 20;
    char *x = malloc(2 * len), *y = malloc(2 * len);
#pragma omp parallel
#pragma omp single
    {
#pragma omp task
        memset(x, 1, len);
#pragma omp task
        memcpy(y, x + len, len);
    }
    free(x), free(y);
    shmem_finalize();
    return 0;
}
