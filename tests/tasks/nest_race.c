/* thrille: n=1,2 */
/* Blocks of a matrix by tasks, each a nest of loops; they overlap by a column. */
#include <shmem.h>
#include <stdlib.h>
static long n = 96;
static void block(double *c, const double *a, const double *b, long m)
{
    for (long i = 0; i < 32; i++)
        for (long k = 0; k < 8; k++)
            for (long j = 0; j < m; j++)
                c[i * n + j] += a[i * n + k] * b[k * n + j]; /* race: a a */
}
int main(void)
{
    shmem_init();
    double *a = calloc(n * n, 8), *b = calloc(n * n, 8), *c = calloc(n * n, 8);
#pragma omp parallel
#pragma omp single
    {
#pragma omp task
        block(c, a, b, 33);
#pragma omp task
        block(c + 32, a, b + 32, 32);
    }
    free(a), free(b), free(c);
    shmem_finalize();
    return 0;
}
