/* Cholesky decomposition of a dense matrix, divide and conquer: n, base. */
#include "bench.h"

static long n, base;

/* c -= a * transposed b, of m rows, k columns, p rows of b; the lower triangle only where a is b. */
static void update(double *c, const double *a, const double *b, long m, long p, long k)
{
    if (m > base) {
        long h = m / 2;
#pragma omp task
        update(c, a, b, h, p, k);
        update(c + h * n, a + h * n, b, m - h, p, k);
#pragma omp taskwait
        return;
    }
    if (p > base) {
        long h = p / 2;
#pragma omp task
        update(c, a, b, m, h, k);
        update(c + h, a, b + h * n, m, p - h, k);
#pragma omp taskwait
        return;
    }
    for (long i = 0; i < m; i++)
        for (long j = 0; j < p; j++) {
            double sum = c[i * n + j];
            for (long l = 0; l < k; l++)
                sum -= a[i * n + l] * b[j * n + l];
            c[i * n + j] = sum;
        }
}

/* b = b * inverse of transposed l, of m rows. */
static void solve(double *b, const double *l, long m, long k)
{
    if (m > base) {
        long h = m / 2;
#pragma omp task
        solve(b, l, h, k);
        solve(b + h * n, l, m - h, k);
#pragma omp taskwait
        return;
    }
    for (long i = 0; i < m; i++)
        for (long j = 0; j < k; j++) {
            double sum = b[i * n + j];
            for (long p = 0; p < j; p++)
                sum -= b[i * n + p] * l[j * n + p];
            b[i * n + j] = sum / l[j * n + j];
        }
}

static void chol(double *a, long m)
{
    if (m > base) {
        long h = m / 2;
        chol(a, h);
#ifdef RACY
#pragma omp task
#endif
        solve(a + h * n, a, m - h, h);
        update(a + h * n + h, a + h * n, a + h * n, m - h, m - h, h);
#pragma omp taskwait
        chol(a + h * n + h, m - h);
        return;
    }
    for (long j = 0; j < m; j++) {
        double sum = a[j * n + j];
        for (long p = 0; p < j; p++)
            sum -= a[j * n + p] * a[j * n + p];
        double root = sqrt(sum);
        a[j * n + j] = root;
        for (long i = j + 1; i < m; i++) {
            sum = a[i * n + j];
            for (long p = 0; p < j; p++)
                sum -= a[i * n + p] * a[j * n + p];
            a[i * n + j] = sum / root;
        }
    }
}

static double element(long i, long j)
{
    return i == j ? (double)n : i > j ? some(i * n + j) : some(j * n + i);
}

int main(int argc, char **argv)
{
    BEGIN();
    n = option(argc, argv, 1, 256), base = option(argc, argv, 2, 16);
    double *a = malloc(sizeof(double) * n * n);
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++)
            a[i * n + j] = element(i, j);
#pragma omp parallel
#pragma omp single
    chol(a, n);
    int right = 1;
    for (long s = 0; s < 64; s++) {
        long i = (long)(some(s) * (double)n) % n, j = (long)(some(s + 99) * (double)n) % n;
        if (j > i)
            continue;
        double sum = 0;
        for (long k = 0; k <= j; k++)
            sum += a[i * n + k] * a[j * n + k];
        right &= fabs(sum - element(i, j)) < 1e-6 * (double)n;
    }
    END();
    return verdict("chol", right);
}
