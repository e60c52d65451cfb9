/* thrille: n=2 */
/* The request that was waited for is that of the other Rput. */
#include <mpi.h>

static long x[4];
static long from[2] = {1, 2};

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Win win;
    MPI_Win_create(x, sizeof(x), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_lock_all(0, win);
    if (me == 0) {
        MPI_Request request[2];
        MPI_Rput(&from[0], 1, MPI_LONG, 1, 0, 1, MPI_LONG, win, &request[0]); /* race: a */
        MPI_Rput(&from[1], 1, MPI_LONG, 1, 1, 1, MPI_LONG, win, &request[1]);
        MPI_Wait(&request[1], MPI_STATUS_IGNORE);
        from[0] = 7; /* race: a */
        MPI_Wait(&request[0], MPI_STATUS_IGNORE);
    }
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
