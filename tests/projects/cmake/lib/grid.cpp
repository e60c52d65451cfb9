#include "grid.h"
#include <algorithm>

void grid_step(double *cells, int inner)
{
    std::transform(cells + 1, cells + 1 + inner, cells + 1, [](double cell) { return cell + 1; });
}

void grid_right(double *cells, int inner, int to, MPI_Win win)
{
    MPI_Put(cells + inner, 1, MPI_DOUBLE, to, 0, 1, MPI_DOUBLE, win);
}
