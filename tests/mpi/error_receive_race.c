/* thrille: n=2 */
/* A receive that the library refuses is none: the next message is the first, sent before the flush. */
#include <mpi.h>
#include <stdlib.h>

static long cells[16];

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Win win;
    MPI_Win_create(cells, sizeof cells, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_lock_all(0, win);
    long value = 1;
    MPI_Request request;
    if (me == 1 && MPI_Irecv(&value, -1, MPI_LONG, 0, 0, MPI_COMM_WORLD, &request) == MPI_SUCCESS) {
        abort();
    }
    if (me == 0) {
        MPI_Put(&value, 1, MPI_LONG, 1, 3, 1, MPI_LONG, win); /* race: a */
        MPI_Send(NULL, 0, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
        MPI_Win_flush(1, win);
        MPI_Send(NULL, 0, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
    }
    if (me == 1) {
        MPI_Recv(NULL, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        volatile long seen = cells[3]; /* race: a */
        (void)seen;
        MPI_Recv(NULL, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
