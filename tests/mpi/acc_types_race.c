/* thrille: n=3 */
/* Accumulates are atomic to each other with the same predefined type only: here MPI_LONG meets MPI_DOUBLE. */
#include <mpi.h>

static long x[4];
static long one = 1;
static double real = 1;

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Win win;
    MPI_Win_create(x, sizeof(x), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_lock_all(0, win);
    if (me == 0)
        MPI_Accumulate(&one, 1, MPI_LONG, 1, 0, 1, MPI_LONG, MPI_SUM, win); /* race: a */
    if (me == 2)
        MPI_Accumulate(&real, 1, MPI_DOUBLE, 1, 0, 1, MPI_DOUBLE, MPI_SUM, win); /* race: a */
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
