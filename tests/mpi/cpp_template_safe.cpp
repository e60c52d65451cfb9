/* thrille: n=2 */
/* The owner adds with the template too. */
#include <mpi.h>

static long x[4];

template <typename T>
static void add(T value, int rank, MPI_Win win)
{
    MPI_Accumulate(&value, 1, MPI_LONG, rank, 0, 1, MPI_LONG, MPI_SUM, win);
    MPI_Win_flush_local(rank, win);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Win win;
    MPI_Win_create(x, sizeof(x), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_lock_all(0, win);
    if (me == 0)
        add(1L, 1, win);
    if (me == 1)
        add(1L, 1, win);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
