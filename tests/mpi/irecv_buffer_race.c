/* thrille: n=2 */
/* The put comes after a barrier, but the receive started before it is not over. */
#include <mpi.h>

static long one = 1;

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    long *x;
    MPI_Win win;
    MPI_Win_allocate(4 * sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &x, &win);
    MPI_Win_lock_all(0, win);
    MPI_Request request = MPI_REQUEST_NULL;
    if (me == 1)
        MPI_Irecv(&x[0], 1, MPI_LONG, 0, 0, MPI_COMM_WORLD, &request); /* race: a */
    MPI_Barrier(MPI_COMM_WORLD);
    if (me == 0) {
        MPI_Put(&one, 1, MPI_LONG, 1, 0, 1, MPI_LONG, win); /* race: a */
        MPI_Win_flush(1, win);
    }
    if (me == 0)
        MPI_Send(&one, 1, MPI_LONG, 1, 0, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
