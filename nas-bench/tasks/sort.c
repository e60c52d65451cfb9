/* Merge sort, halves sorted and merged by tasks: n, base. */
#include "bench.h"

static long base;

static int compare(const void *a, const void *b)
{
    long x = *(const long *)a, y = *(const long *)b;
    return (x > y) - (x < y);
}

static void insertion(long *x, long n)
{
    for (long i = 1; i < n; i++) {
        long value = x[i], j = i;
        for (; j > 0 && x[j - 1] > value; j--)
            x[j] = x[j - 1];
        x[j] = value;
    }
}

/* How many of x are less than value. */
static long below(const long *x, long n, long value)
{
    long lo = 0, hi = n;
    while (lo < hi) {
        long mid = (lo + hi) / 2;
        if (x[mid] < value)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static void merge(long *out, const long *a, long n, const long *b, long m)
{
    if (n < m) {
        merge(out, b, m, a, n);
        return;
    }
    if (n + m <= base) {
        long i = 0, j = 0, k = 0;
        while (i < n && j < m)
            out[k++] = a[i] <= b[j] ? a[i++] : b[j++];
        while (i < n)
            out[k++] = a[i++];
        while (j < m)
            out[k++] = b[j++];
        return;
    }
    long half = n / 2, cut = below(b, m, a[half]);
#pragma omp task
    merge(out, a, half, b, cut);
    merge(out + half + cut, a + half, n - half, b + cut, m - cut);
#pragma omp taskwait
}

static void sort(long *x, long *scratch, long n)
{
    if (n <= base) {
        if (n <= 32)
            insertion(x, n);
        else {
            long h = n / 2;
            sort(x, scratch, h);
            sort(x + h, scratch + h, n - h);
            merge(scratch, x, h, x + h, n - h);
            memcpy(x, scratch, sizeof(long) * n);
        }
        return;
    }
    long h = n / 2;
#pragma omp task
    sort(x, scratch, h);
    sort(x + h, scratch + h, n - h);
#ifndef RACY
#pragma omp taskwait
#endif
    merge(scratch, x, h, x + h, n - h);
#pragma omp taskwait
    memcpy(x, scratch, sizeof(long) * n);
}

int main(int argc, char **argv)
{
    BEGIN();
    long n = option(argc, argv, 1, 200000);
    base = option(argc, argv, 2, 2048);
    long *x = malloc(sizeof(long) * n), *scratch = malloc(sizeof(long) * n), *copy = malloc(sizeof(long) * n);
    for (long i = 0; i < n; i++)
        x[i] = copy[i] = (long)(some(i) * 1e9);
#pragma omp parallel
#pragma omp single
    sort(x, scratch, n);
    qsort(copy, n, sizeof(long), compare);
    int right = memcmp(x, copy, sizeof(long) * n) == 0;
    END();
    return verdict("sort", right);
}
