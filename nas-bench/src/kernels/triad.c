/* a = b + s c, in the cache: one loop that lives from being vectorised. */
#include <stdio.h>

enum { N = 2000, TIMES = 1000000 };

static double a[N], b[N], c[N];

__attribute__((noinline)) static void triad(double s)
{
    for (int i = 0; i < N; i++)
        a[i] = b[i] + s * c[i];
}

int main(void)
{
    for (int i = 0; i < N; i++)
        b[i] = i, c[i] = N - i;
    for (int turn = 0; turn < TIMES; turn++) {
        triad(turn);
        b[turn % N] = a[(turn * 7L) % N] * 1e-9;
    }
    printf("%.17g\n", a[N / 3]);
    return 0;
}
