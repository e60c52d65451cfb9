/* thrille: n=2 */
/* The flag is set by Raccumulate before the data is complete: Wait of the Rput does not complete it at the target. */
#include <mpi.h>

static long x[4];
static long one = 1;

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    volatile long seen = 0;
    MPI_Win win;
    MPI_Win_create(x, sizeof(x), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_lock_all(0, win);
    MPI_Request request;
    if (me == 0) {
        MPI_Rput(&one, 1, MPI_LONG, 1, 0, 1, MPI_LONG, win, &request); /* race: a */
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Raccumulate(&one, 1, MPI_LONG, 1, 1, 1, MPI_LONG, MPI_SUM, win, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Win_flush(1, win);
    }
    if (me == 1) {
        long flag = 0;
        while (flag == 0) {
            MPI_Rget_accumulate(&one, 1, MPI_LONG, &flag, 1, MPI_LONG, 1, 1, 1, MPI_LONG, MPI_NO_OP, win, &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            MPI_Win_flush(1, win);
        }
        seen = x[0]; /* race: a */
    }
    MPI_Win_unlock_all(win);
    (void)seen;
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
