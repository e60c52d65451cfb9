/* thrille: n=2 */
/* MPI-3.1 11.7: the owner has fetched the word next to the one that an accumulate changed last, and stores to the latter. */
#include <mpi.h>
#include <stddef.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, one = 1, next = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int *x;
    MPI_Win win;
    MPI_Win_allocate(16, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &x, &win);
    MPI_Win_lock_all(0, win);
    x[0] = 0;
    x[2] = 0;
    MPI_Win_sync(win);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        MPI_Accumulate(&one, 1, MPI_INT, 1, 2, 1, MPI_INT, MPI_REPLACE, win);
        MPI_Win_flush(1, win);
        MPI_Accumulate(&one, 1, MPI_INT, 1, 0, 1, MPI_INT, MPI_REPLACE, win); /* race: a */
        MPI_Win_flush(1, win);
        MPI_Recv(NULL, 0, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        for (long tries = 0; next == 0 && tries < 100000000; tries++) {
            int flag;
            MPI_Fetch_and_op(NULL, &next, MPI_INT, 1, 2, MPI_NO_OP, win);
            MPI_Win_flush(1, win);
            MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        }
        x[0] = 0; /* race: a */
        MPI_Send(NULL, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return next == 0 && rank == 1;
}
