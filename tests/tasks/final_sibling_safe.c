/* thrille: n=1 */
/* A final task is itself deferred. */
#include <shmem.h>
static int x, y;
int main(void)
{
    shmem_init();
#pragma omp parallel
#pragma omp single
    {
#pragma omp task final(1)
        x = 1;
#pragma omp taskwait
        y = x;
    }
    shmem_finalize();
    return 0;
}
