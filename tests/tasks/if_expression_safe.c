/* thrille: n=1 */
/* A task with if of an expression. */
#include <shmem.h>
static int x, y;
static int one(void) { return y + 1; }
int main(void)
{
    shmem_init();
#pragma omp parallel
#pragma omp single
    {
        int deferred = one();
#pragma omp task if (!deferred)
        x = 1;
        y = x;
    }
    shmem_finalize();
    return 0;
}
