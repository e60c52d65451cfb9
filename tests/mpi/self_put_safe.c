/* thrille: n=2 */
/* Flush completes the put to the own rank before the load. */
#include <mpi.h>

static long x[4];
static long one = 1;

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    volatile long seen = 0;
    MPI_Win win;
    MPI_Win_create(x, sizeof(x), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_lock_all(0, win);
    MPI_Put(&one, 1, MPI_LONG, me, 0, 1, MPI_LONG, win);
    MPI_Win_flush(me, win);
    seen = x[0];
    MPI_Win_unlock_all(win);
    (void)seen;
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
