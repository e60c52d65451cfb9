/* Heat on a grid, rows divided among tasks: nx, ny, steps, base (rows of a task). */
#include "bench.h"

static long nx, ny, base;

static void step(double *to, const double *from, long first, long last)
{
    if (last - first > base) {
        long mid = (first + last) / 2;
#pragma omp task
        step(to, from, first, mid);
        step(to, from, mid, last);
#pragma omp taskwait
        return;
    }
    for (long i = first; i < last; i++)
        for (long j = 1; j < ny - 1; j++) {
            double here = from[i * ny + j];
            to[i * ny + j] = here + 0.1 * (from[(i - 1) * ny + j] + from[(i + 1) * ny + j] + from[i * ny + j - 1] + from[i * ny + j + 1] - 4 * here);
        }
}

int main(int argc, char **argv)
{
    BEGIN();
    nx = option(argc, argv, 1, 256), ny = option(argc, argv, 2, 256);
    long steps = option(argc, argv, 3, 20);
    base = option(argc, argv, 4, 10);
    double *grid[3];
    for (int g = 0; g < 3; g++) {
        grid[g] = malloc(sizeof(double) * nx * ny);
        for (long i = 0; i < nx * ny; i++)
            grid[g][i] = some(i);
    }
    double *from = grid[0], *to = grid[1];
#pragma omp parallel
#pragma omp single
    for (long s = 0; s < steps; s++) {
#ifdef RACY
        step(from, from, 1, nx - 1);
#else
        step(to, from, 1, nx - 1);
        double *swap = from;
        from = to, to = swap;
#endif
    }
    /* The sum of what flows over the edges of one step, once more without tasks. */
    base = nx;
    step(grid[2], from, 1, nx - 1);
    double most = 0;
    for (long i = nx + 1; i < nx * ny; i++)
        most = fmax(most, fabs(grid[2][i]));
    END();
    return verdict("heat", most > 0 && most <= 1.0);
}
