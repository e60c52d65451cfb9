/* Fast Fourier transform, even and odd halves by tasks: log2 of n, base. Then back, which must give the input. */
#include "bench.h"

typedef struct {
    double re, im;
} Complex;

static long base;

static void combine(Complex *out, long n, long first, long last, int sign)
{
    if (last - first > base) {
        long mid = (first + last) / 2;
#pragma omp task
        combine(out, n, first, mid, sign);
        combine(out, n, mid, last, sign);
#pragma omp taskwait
        return;
    }
    double angle = sign * 2 * M_PI / (double)n;
    Complex w = {cos(angle * (double)first), sin(angle * (double)first)}, turn = {cos(angle), sin(angle)};
    for (long k = first; k < last; k++) {
        Complex even = out[k], odd = out[k + n / 2];
        Complex t = {w.re * odd.re - w.im * odd.im, w.re * odd.im + w.im * odd.re};
        out[k] = (Complex){even.re + t.re, even.im + t.im};
        out[k + n / 2] = (Complex){even.re - t.re, even.im - t.im};
        w = (Complex){w.re * turn.re - w.im * turn.im, w.re * turn.im + w.im * turn.re};
    }
}

static void fft(Complex *out, const Complex *in, long n, long stride, int sign)
{
    if (n == 1) {
        out[0] = in[0];
        return;
    }
    if (n > base) {
#pragma omp task
        fft(out, in, n / 2, stride * 2, sign);
#pragma omp task
        fft(out + n / 2, in + stride, n / 2, stride * 2, sign);
#ifndef RACY
#pragma omp taskwait
#endif
    } else {
        fft(out, in, n / 2, stride * 2, sign);
        fft(out + n / 2, in + stride, n / 2, stride * 2, sign);
    }
    combine(out, n, 0, n / 2, sign);
#pragma omp taskwait
}

int main(int argc, char **argv)
{
    BEGIN();
    long n = 1L << option(argc, argv, 1, 14);
    base = option(argc, argv, 2, 128);
    Complex *in = malloc(sizeof(Complex) * n), *there = malloc(sizeof(Complex) * n), *back = malloc(sizeof(Complex) * n);
    for (long i = 0; i < n; i++)
        in[i] = (Complex){some(i), some(i + n)};
#pragma omp parallel
#pragma omp single
    {
        fft(there, in, n, 1, -1);
        fft(back, there, n, 1, 1);
    }
    int right = 1;
    for (long i = 0; i < n; i++)
        right &= fabs(back[i].re / (double)n - in[i].re) < 1e-6 && fabs(back[i].im / (double)n - in[i].im) < 1e-6;
    END();
    return verdict("fft", right);
}
