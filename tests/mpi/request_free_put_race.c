/* thrille: n=2 */
/* A put to the buffer of a send whose request was freed, before the message is received. */
#include <mpi.h>

static long cells[16];

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Win win;
    MPI_Win_create(cells, sizeof cells, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_lock_all(0, win);
    long value = 1;
    if (me == 0) {
        MPI_Request request;
        MPI_Isend(&cells[3], 1, MPI_LONG, 1, 0, MPI_COMM_WORLD, &request); /* race: a */
        MPI_Request_free(&request);
    }
    if (me == 1) {
        long got;
        MPI_Put(&value, 1, MPI_LONG, 0, 3, 1, MPI_LONG, win); /* race: a */
        MPI_Win_flush(0, win);
        MPI_Recv(&got, 1, MPI_LONG, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
