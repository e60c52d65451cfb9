/* thrille: n=2 */
/* A receive that was cancelled and waited for leaves its buffer and its messages alone (3.8.4). */
#include <mpi.h>

static long x[2];
static long one = 1;

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me, n;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    MPI_Win win;
    MPI_Win_create(x, sizeof(x), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_lock_all(0, win);
    long spare = 0, token = 0;
    volatile long seen = 0;
    if (me == 1) {
        MPI_Request request;
        MPI_Irecv(&spare, 1, MPI_LONG, 0, 9, MPI_COMM_WORLD, &request);
        MPI_Cancel(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        spare = 1;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (me == 0) {
        MPI_Put(&one, 1, MPI_LONG, 1, 0, 1, MPI_LONG, win);
        MPI_Win_flush(1, win);
        MPI_Send(&token, 1, MPI_LONG, 1, 9, MPI_COMM_WORLD);
    } else {
        MPI_Recv(&token, 1, MPI_LONG, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        seen = x[0];
    }
    (void)seen;
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
