/* thrille: n=2 */
/* The flag that is looked at is the neighbour of the one that was set, in the same eight bytes: it says nothing. */
#include <mpi.h>

static int x[4];
static int one = 1;

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    volatile long seen = 0;
    MPI_Win win;
    MPI_Win_create(x, sizeof(x), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_lock_all(0, win);
    int go = 0;
    if (me == 0) {
        MPI_Put(&one, 1, MPI_INT, 1, 2, 1, MPI_INT, win); /* race: a */
        MPI_Win_flush(1, win);
        MPI_Accumulate(&one, 1, MPI_INT, 1, 0, 1, MPI_INT, MPI_SUM, win);
        MPI_Win_flush(1, win);
    }
    if (me == 1) {
        MPI_Fetch_and_op(&one, &go, MPI_INT, 1, 1, MPI_NO_OP, win);
        MPI_Win_flush(1, win);
        seen = x[2]; /* race: a */
    }
    MPI_Win_unlock_all(win);
    (void)seen;
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
