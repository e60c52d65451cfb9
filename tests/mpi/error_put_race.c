/* thrille: n=2 */
/* A put to a rank that is there has its buffer until it is locally complete (11.5.4). */
#include <mpi.h>

static long x[2];

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me, n;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    MPI_Win win;
    MPI_Win_create(x, sizeof(x), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    MPI_Win_lock_all(0, win);
    long from = 1;
    if (me == 0) {
        MPI_Put(&from, 1, MPI_LONG, 1, 0, 1, MPI_LONG, win); /* race: a */
        from = 2; /* race: a */
    }
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
