/* thrille: n=2 */
/* Between the functions of the two sides stand a flush and a barrier. */
#include <mpi.h>

static long x[4];
static long one = 1;
static MPI_Win win;

static void give(int rank)
{
    MPI_Put(&one, 1, MPI_LONG, rank, 0, 1, MPI_LONG, win);
}

static long take(void)
{
    return x[0];
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    volatile long seen = 0;
    MPI_Win_create(x, sizeof(x), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_lock_all(0, win);
    if (me == 0)
        give(1);
    MPI_Win_flush_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
    if (me == 1)
        seen = take();
    MPI_Win_unlock_all(win);
    (void)seen;
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
