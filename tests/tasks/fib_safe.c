/* thrille: n=1,2 */
/* After. */
#include <shmem.h>
static int fib(int n)
{
    int a = 0, b = 0, sum;
    if (n < 2)
        return n;
#pragma omp task shared(a)
    a = fib(n - 1);
#pragma omp task shared(b)
    b = fib(n - 2);
#pragma omp taskwait
    sum = b;
    return a + sum;
}
int main(void)
{
    shmem_init();
    volatile int seen = 0;
#pragma omp parallel
#pragma omp single
    seen = fib(10);
    (void)seen;
    shmem_finalize();
    return 0;
}
