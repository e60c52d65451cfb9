#include "shift.h"

void shift(double value, int to, MPI_Win win)
{
    MPI_Put(&value, 1, MPI_DOUBLE, to, 0, 1, MPI_DOUBLE, win); /* race: a */
    MPI_Win_flush(to, win);
}
