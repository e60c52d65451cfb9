/* thrille: n=2 */
/* A put that repeats; the last one is only locally complete when the message says that it is there. */
#include <mpi.h>
#include <stdlib.h>

static long x[8];
static long from[4];

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Win win;
    MPI_Win_create(x, sizeof(x), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_lock_all(0, win);
    for (int i = 0; i < 10 && me == 0; i++) {
        MPI_Put(from, 4, MPI_LONG, 1, 0, 4, MPI_LONG, win); /* race: a */
        if (i == 9)
            MPI_Win_flush_local(1, win);
        else
            MPI_Win_flush(1, win);
    }
    if (me == 0)
        MPI_Send(NULL, 0, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
    if (me == 1) {
        MPI_Recv(NULL, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        from[0] = x[2]; /* race: a */
    }
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
