/* Strassen's multiplication of square matrices, seven tasks a level: n, base. Rows one after the other; with -DMORTON blocks in Z order. */
#include "bench.h"

static long n, base;
#ifdef MORTON
#define NAME "strassen-z"
/* A block of m * m is contiguous, its quarters one after the other, down to the base. */
#define STRIDE(stride, m) (m)
#define QUARTER(x, stride, m, q) ((x) + (q) * ((m) / 2) * ((m) / 2))
#else
#define NAME "strassen"
#define STRIDE(stride, m) (stride)
#define QUARTER(x, stride, m, q) ((x) + ((q) / 2) * ((m) / 2) * (stride) + ((q) % 2) * ((m) / 2))
#endif

typedef struct {
    float *at;
    long stride;
} Matrix;

static Matrix quarter(Matrix x, long m, int q)
{
    return (Matrix){QUARTER(x.at, x.stride, m, q), STRIDE(x.stride, m / 2)};
}

/* c = a + sign * b */
static void add(Matrix c, Matrix a, Matrix b, float sign, long m)
{
#ifdef MORTON
    for (long i = 0; i < m * m; i++)
        c.at[i] = a.at[i] + sign * b.at[i];
#else
    for (long i = 0; i < m; i++)
        for (long j = 0; j < m; j++)
            c.at[i * c.stride + j] = a.at[i * a.stride + j] + sign * b.at[i * b.stride + j];
#endif
}

static Matrix fresh(float **next, long m)
{
    Matrix new = {*next, m};
    *next += m * m;
    return new;
}

static void multiply(Matrix c, Matrix a, Matrix b, long m)
{
    if (m <= base) {
        for (long i = 0; i < m; i++)
            for (long j = 0; j < m; j++) {
                float sum = 0;
                for (long k = 0; k < m; k++)
                    sum += a.at[i * a.stride + k] * b.at[k * b.stride + j];
                c.at[i * c.stride + j] = sum;
            }
        return;
    }
    long h = m / 2;
    Matrix a11 = quarter(a, m, 0), a12 = quarter(a, m, 1), a21 = quarter(a, m, 2), a22 = quarter(a, m, 3);
    Matrix b11 = quarter(b, m, 0), b12 = quarter(b, m, 1), b21 = quarter(b, m, 2), b22 = quarter(b, m, 3);
    Matrix c11 = quarter(c, m, 0), c12 = quarter(c, m, 1), c21 = quarter(c, m, 2), c22 = quarter(c, m, 3);
    float *memory = malloc(sizeof(float) * 17 * h * h), *next = memory;
    Matrix p[7], l[7], r[7];
    for (int i = 0; i < 7; i++)
        p[i] = fresh(&next, h);
    for (int i = 0; i < 5; i++)
        l[i] = fresh(&next, h), r[i] = fresh(&next, h);
    add(l[0], a11, a22, 1, h), add(r[0], b11, b22, 1, h);
    add(l[1], a21, a22, 1, h), add(r[1], b12, b22, -1, h);
    add(l[2], a11, a12, 1, h), add(r[2], b21, b11, -1, h);
    add(l[3], a21, a11, -1, h), add(r[3], b11, b12, 1, h);
    add(l[4], a12, a22, -1, h), add(r[4], b21, b22, 1, h);
#pragma omp task
    multiply(p[0], l[0], r[0], h);
#pragma omp task
    multiply(p[1], l[1], b11, h);
#pragma omp task
    multiply(p[2], a11, r[1], h);
#pragma omp task
    multiply(p[3], a22, r[2], h);
#pragma omp task
    multiply(p[4], l[2], b22, h);
#pragma omp task
    multiply(p[5], l[3], r[3], h);
#pragma omp task
#ifdef RACY
    multiply(p[5], l[4], r[4], h);
#else
    multiply(p[6], l[4], r[4], h);
#endif
#pragma omp taskwait
    add(c11, p[0], p[3], 1, h), add(c11, c11, p[4], -1, h), add(c11, c11, p[6], 1, h);
    add(c12, p[2], p[4], 1, h);
    add(c21, p[1], p[3], 1, h);
    add(c22, p[0], p[1], -1, h), add(c22, c22, p[2], 1, h), add(c22, c22, p[5], 1, h);
    free(memory);
}

/* Where an element is. */
static long place(long i, long j)
{
#ifdef MORTON
    long at = 0;
    for (long m = n; m > base; m /= 2) {
        long h = m / 2;
        at += ((i >= h) * 2 + (j >= h)) * h * h;
        i %= h, j %= h;
    }
    long block = n;
    while (block > base)
        block /= 2;
    return at + i * block + j;
#else
    return i * n + j;
#endif
}

int main(int argc, char **argv)
{
    BEGIN();
    n = option(argc, argv, 1, 256), base = option(argc, argv, 2, 32);
    Matrix a = {malloc(sizeof(float) * n * n), n}, b = {malloc(sizeof(float) * n * n), n}, c = {malloc(sizeof(float) * n * n), n};
    for (long i = 0; i < n * n; i++)
        a.at[i] = (float)some(i), b.at[i] = (float)some(i + n * n);
#pragma omp parallel
#pragma omp single
    multiply(c, a, b, n);
    int right = 1;
    for (long s = 0; s < 64; s++) {
        long i = (long)(some(s) * (double)n) % n, j = (long)(some(s + 99) * (double)n) % n;
        double sum = 0;
        for (long k = 0; k < n; k++)
            sum += (double)a.at[place(i, k)] * (double)b.at[place(k, j)];
        right &= fabs(sum - (double)c.at[place(i, j)]) < 1e-3 * (double)n;
    }
    END();
    return verdict(NAME, right);
}
