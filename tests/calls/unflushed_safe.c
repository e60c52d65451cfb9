/* thrille: n=2 */
/* Each of the puts that repeat is flushed when the other rank is told. */
#include <mpi.h>

enum { TIMES = 60, LATE = 41 };
static long x[8], y[8], from[4];

static void go(MPI_Win win, MPI_Win other, int me);

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Win win, other;
    MPI_Win_create(x, sizeof(x), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_create(y, sizeof(y), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &other);
    MPI_Win_lock_all(0, win);
    MPI_Win_lock_all(0, other);
    go(win, other, me);
    MPI_Win_unlock_all(other);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&other);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}

static void go(MPI_Win win, MPI_Win other, int me)
{
    if (me == 0)
        for (int i = 0; i < TIMES; i++) {
            MPI_Put(from, 4, MPI_LONG, 1, 0, 4, MPI_LONG, win);
            if (i < TIMES)
                MPI_Win_flush(1, win);
        }
    MPI_Barrier(MPI_COMM_WORLD);
    if (me == 1)
        MPI_Put(from, 1, MPI_LONG, 1, 3, 1, MPI_LONG, win);
}
