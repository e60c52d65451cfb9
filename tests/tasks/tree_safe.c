/* thrille: n=1 */
/* A tree, the sum of its halves. */
#include <shmem.h>
static int x;
static int sum(int depth)
{
    int left = 0, right = 0;
    if (depth == 0)
        return 1;
#pragma omp task shared(left)
    left = sum(depth - 1);
#pragma omp task shared(right)
    right = sum(depth - 1);
#pragma omp taskwait
    int all = left + right;
#pragma omp taskwait
    return all;
}
int main(void)
{
    shmem_init();
#pragma omp parallel
#pragma omp single
    {
        x = sum(4);
    }
    shmem_finalize();
    return 0;
}
