/* thrille: n=2 */
/* The origin buffer of Rput is written before its request has been waited for. */
#include <mpi.h>

static long x[4];
static long from = 1;

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Win win;
    MPI_Win_create(x, sizeof(x), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_lock_all(0, win);
    if (me == 0) {
        MPI_Request request;
        MPI_Rput(&from, 1, MPI_LONG, 1, 0, 1, MPI_LONG, win, &request); /* race: a */
        from = 2; /* race: a */
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
