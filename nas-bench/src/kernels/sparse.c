/* A sparse matrix of random columns times a vector, over and over: short inner loops, indirect loads. */
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 20000, EACH = 12, TIMES = 1500 };

static void multiply(const int *column, const double *value, const double *x, double *y)
{
    for (int row = 0; row < ROWS; row++) {
        double sum = 0;
        for (int k = row * EACH; k < (row + 1) * EACH; k++)
            sum += value[k] * x[column[k]];
        y[row] = sum;
    }
}

int main(void)
{
    int *column = malloc(sizeof *column * ROWS * EACH);
    double *value = malloc(sizeof *value * ROWS * EACH), *x = malloc(sizeof *x * ROWS), *y = malloc(sizeof *y * ROWS);
    unsigned random = 1;
    for (int k = 0; k < ROWS * EACH; k++) {
        random = random * 1664525u + 1013904223u;
        column[k] = (int)(random >> 8) % ROWS;
        value[k] = (random >> 16) / 65536.0 / EACH;
    }
    for (int row = 0; row < ROWS; row++)
        x[row] = 1;
    for (int turn = 0; turn < TIMES; turn++) {
        multiply(column, value, x, y);
        double *other = x;
        x = y;
        y = other;
    }
    printf("%.17g\n", x[ROWS / 2]);
    return 0;
}
