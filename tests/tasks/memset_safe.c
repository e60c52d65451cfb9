/* thrille: n=1 */
/* Blocks by library functions. */
#include <shmem.h>
#include <string.h>
static int a[20], b[20];
int main(void)
{
    shmem_init();
#pragma omp parallel
#pragma omp single
    {
#pragma omp task
        memset(a, 1, sizeof a);
#pragma omp taskwait
#pragma omp task
        memcpy(b, a, sizeof b);
    }
    shmem_finalize();
    return 0;
}
