/* thrille: n=2 */
/* The Wait of an Rput to nobody frees nothing of the send behind it (3.11, 11.3.5). */
#include <mpi.h>

static long x[2];

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me, n;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    MPI_Win win;
    MPI_Win_create(x, sizeof(x), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_lock_all(0, win);
    long value = 1, got;
    MPI_Request edge, sent;
    if (me == 0) {
        MPI_Rput(&got, 1, MPI_LONG, MPI_PROC_NULL, 0, 1, MPI_LONG, win, &edge);
        MPI_Isend(&value, 1, MPI_LONG, 1, 1, MPI_COMM_WORLD, &sent); /* race: a */
        MPI_Wait(&edge, MPI_STATUS_IGNORE);
        value = 2; /* race: a */
        MPI_Wait(&sent, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(&got, 1, MPI_LONG, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
