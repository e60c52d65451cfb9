/* thrille: n=2 */
/* The same, but the flag was set before the data was complete. */
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
    MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
    if (me == 0) {
        MPI_Put(&one, 1, MPI_LONG, 1, 0, 1, MPI_LONG, win); /* race: a */
        MPI_Accumulate(&one, 1, MPI_LONG, 1, 1, 1, MPI_LONG, MPI_REPLACE, win);
        MPI_Win_flush(1, win);
    }
    if (me == 1) {
        long flag = 0;
        while (flag == 0) {
            MPI_Fetch_and_op(&one, &flag, MPI_LONG, 1, 1, MPI_NO_OP, win);
            MPI_Win_flush(1, win);
        }
        seen = x[0]; /* race: a */
    }
    MPI_Win_unlock(1, win);
    (void)seen;
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
