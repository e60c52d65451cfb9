/* thrille: n=2 */
/* The copy that is waited for is that of the last Rput: the buffer of the first is not free. */
#include <mpi.h>

static long x[4];

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Win win;
    MPI_Win_create(x, sizeof(x), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_lock_all(0, win);
    if (me == 0) {
        MPI_Request requests[3];
        long from[3] = {1, 2, 3};
        for (int i = 0; i < 3; i++) {
            MPI_Request request;
            MPI_Rput(&from[i], 1, MPI_LONG, 1, i, 1, MPI_LONG, win, &request); /* race: a */
            requests[2 - i] = request;
        }
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
        from[0] = 4; /* race: a */
        MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    }
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
