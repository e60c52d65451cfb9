/* The mean of six neighbours in a cube, over and over: three nested loops, the inner one for the vectoriser. */
#include <stdio.h>
#include <stdlib.h>

enum { N = 66, TIMES = 2000 };

typedef double plane[N][N];

static void sweep(const plane *from, plane *to)
{
    for (int i = 1; i < N - 1; i++)
        for (int j = 1; j < N - 1; j++)
            for (int k = 1; k < N - 1; k++)
                to[i][j][k] = (from[i - 1][j][k] + from[i + 1][j][k] + from[i][j - 1][k] + from[i][j + 1][k] + from[i][j][k - 1] + from[i][j][k + 1]) / 6;
}

int main(void)
{
    plane *a = calloc(N, sizeof *a), *b = calloc(N, sizeof *b);
    for (int j = 0; j < N; j++)
        a[0][j][j] = b[0][j][j] = j;
    for (int turn = 0; turn < TIMES; turn += 2) {
        sweep(a, b);
        sweep(b, a);
    }
    printf("%.17g\n", a[5][6][7]);
    return 0;
}
