/* thrille: n=2 */
/* Rank 0 passes the barrier before it waits for its Rget, which may still be reading when rank 1 stores. */
#include <mpi.h>

static long x[4];
static long got;

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Win win;
    MPI_Win_create(x, sizeof(x), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_lock_all(0, win);
    MPI_Request request = MPI_REQUEST_NULL;
    if (me == 0)
        MPI_Rget(&got, 1, MPI_LONG, 1, 0, 1, MPI_LONG, win, &request); /* race: a */
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (me == 1)
        x[0] = 2; /* race: a */
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
