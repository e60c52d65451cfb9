/* thrille: n=2 */
/* A communicator is freed while a receive from any source is pending on it, which completes as ever: the put it tells of is not complete (6.4.3, 11.5.4). */
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
    MPI_Comm twin;
    MPI_Win_create(x, sizeof(x), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Comm_dup(MPI_COMM_WORLD, &twin);
    MPI_Win_lock_all(0, win);
    int token = 0;
    volatile long seen = 0;
    MPI_Request request;
    if (me == 1) {
        MPI_Irecv(&token, 1, MPI_INT, MPI_ANY_SOURCE, 1, twin, &request);
        MPI_Comm_free(&twin);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        seen = x[0]; /* race: a */
    } else {
        MPI_Put(&one, 1, MPI_LONG, 1, 0, 1, MPI_LONG, win); /* race: a */
        MPI_Send(&token, 1, MPI_INT, 1, 1, twin);
        MPI_Comm_free(&twin);
    }
    (void)seen;
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
