/* thrille: n=2 */
/* Compare_and_swap has no operation that could differ: it goes with MPI_SUM of the same type. */
#include <mpi.h>

static long x[4];
static long zero;
static long one = 1;

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Win win;
    MPI_Win_create(x, sizeof(x), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_lock_all(0, win);
    long old = 0;
    if (me == 0) {
        MPI_Compare_and_swap(&one, &zero, &old, MPI_LONG, 1, 0, win);
        MPI_Win_flush(1, win);
    }
    if (me == 1) {
        MPI_Fetch_and_op(&one, &old, MPI_LONG, 1, 0, MPI_SUM, win);
        MPI_Win_flush(1, win);
    }
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
