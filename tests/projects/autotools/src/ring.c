#include "shift.h"
#include <math.h>
#include <stdio.h>

/* A value goes once around. The barrier that should come before the window is read has been forgotten. */
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me, n;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    double *slot;
    MPI_Win win;
    MPI_Win_allocate(sizeof(double), sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &slot, &win);
    *slot = 0;
    MPI_Win_lock_all(0, win);
    MPI_Barrier(MPI_COMM_WORLD);
    shift(sqrt(me), (me + 1) % n, win);
    double got = *slot; /* race: a */
    MPI_Win_unlock_all(win);
    if (got < -1)
        printf("%g\n", got);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
