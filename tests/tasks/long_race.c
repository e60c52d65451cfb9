/* thrille: n=1,2 */
/* Ranges of several megabytes: a task clears what another one copies the last byte of. */
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
        memset(x, 1, len); /* race: a */
#pragma omp task
        memcpy(y, x + len - 1, len); /* race: a */
    }
    free(x), free(y);
    shmem_finalize();
    return 0;
}
