/* thrille: n=2 */
/* Waitall of the request brings the result of Rget. */
#include <mpi.h>

static long x[4];
static long got;

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    volatile long seen = 0;
    MPI_Win win;
    MPI_Win_create(x, sizeof(x), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_lock_all(0, win);
    if (me == 0) {
        MPI_Request request;
        MPI_Status status;
        MPI_Rget(&got, 1, MPI_LONG, 1, 0, 1, MPI_LONG, win, &request);
        MPI_Waitall(1, &request, &status);
        seen = got;
    }
    MPI_Win_unlock_all(win);
    (void)seen;
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
