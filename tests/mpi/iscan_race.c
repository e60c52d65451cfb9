/* thrille: n=3 */
/* It does not order higher ranks before lower ones. */
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
    int mine = 1;
    int sum = 0;
    MPI_Request request;
    if (me == 2) {
        MPI_Put(&one, 1, MPI_LONG, 0, 0, 1, MPI_LONG, win); /* race: a */
        MPI_Win_flush(0, win);
    }
    MPI_Iscan(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (me == 0) {
        seen = x[0]; /* race: a */
    }
    MPI_Win_unlock_all(win);
    (void)seen;
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
