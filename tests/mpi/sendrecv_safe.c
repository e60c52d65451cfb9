/* thrille: n=2 */
/* Sendrecv orders the put of rank 0 before the load of rank 1, and the store of rank 0 before the get of rank 1. */
#include <mpi.h>

static long x[4];
static long one = 1, got;

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    volatile long seen = 0;
    MPI_Win win;
    MPI_Win_create(x, sizeof(x), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_lock_all(0, win);
    int token = 0, reply = 0;
    if (me == 0) {
        MPI_Put(&one, 1, MPI_LONG, 1, 0, 1, MPI_LONG, win);
        MPI_Win_flush(1, win);
        x[1] = 2;
    }
    MPI_Sendrecv(&token, 1, MPI_INT, 1 - me, 0, &reply, 1, MPI_INT, 1 - me, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (me == 1) {
        seen = x[0];
        MPI_Get(&got, 1, MPI_LONG, 0, 1, 1, MPI_LONG, win);
    }
    MPI_Win_unlock_all(win);
    (void)seen;
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
