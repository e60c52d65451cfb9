/* Matrix multiplication, divide and conquer: n, base. */
#include "bench.h"

static long n, base;

static void mmul(float *c, const float *a, const float *b, long m)
{
    if (m <= base) {
        for (long i = 0; i < m; i++)
            for (long k = 0; k < m; k++)
                for (long j = 0; j < m; j++)
                    c[i * n + j] += a[i * n + k] * b[k * n + j];
        return;
    }
    long h = m / 2, down = h * n;
    for (int half = 0; half < 2; half++) {
        const float *left = half ? a + h : a, *top = half ? b + down : b;
#pragma omp task
        mmul(c, left, top, h);
#pragma omp task
        mmul(c + h, left, top + h, h);
#pragma omp task
        mmul(c + down, left + down, top, h);
        mmul(c + down + h, left + down, top + h, h);
#ifdef RACY
        if (half)
#endif
        {
#pragma omp taskwait
        }
    }
}

int main(int argc, char **argv)
{
    BEGIN();
    n = option(argc, argv, 1, 256), base = option(argc, argv, 2, 32);
    float *a = malloc(sizeof(float) * n * n), *b = malloc(sizeof(float) * n * n), *c = calloc(n * n, sizeof(float));
    for (long i = 0; i < n * n; i++)
        a[i] = (float)some(i), b[i] = (float)some(i + n * n);
#pragma omp parallel
#pragma omp single
    mmul(c, a, b, n);
    int right = 1;
    for (long s = 0; s < 64; s++) {
        long i = (long)(some(s) * (double)n) % n, j = (long)(some(s + 99) * (double)n) % n;
        double sum = 0;
        for (long k = 0; k < n; k++)
            sum += (double)a[i * n + k] * (double)b[k * n + j];
        right &= fabs(sum - (double)c[i * n + j]) < 1e-3 * (double)n;
    }
    END();
    return verdict("mmul", right);
}
