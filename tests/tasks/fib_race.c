/* thrille: n=1,2 */
/* Tasks in tasks; the sum is put together before both halves are there. */
#include <shmem.h>
static int fib(int n)
{
    int a = 0, b = 0, sum;
    if (n < 2)
        return n;
#pragma omp task shared(a)
    a = fib(n - 1);
#pragma omp task shared(b)
    b = fib(n - 2); /* race: a */
    sum = b; /* race: a */
#pragma omp taskwait
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
