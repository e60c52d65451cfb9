/* thrille: n=3 */
/* Only rank 0 counts its arrival: rank 1 reads what both have put, and that of rank 2 is not ordered. */
#include <mpi.h>

static long x[4];
static long zero, one = 1;

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    volatile long seen = 0;
    MPI_Win win;
    MPI_Win_create(x, sizeof(x), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_lock_all(0, win);
    if (me != 1) {
        MPI_Put(&one, 1, MPI_LONG, 1, me, 1, MPI_LONG, win); /* race: a */
        MPI_Win_flush(1, win);
        if (me == 0)
            MPI_Accumulate(&one, 1, MPI_LONG, 0, 3, 1, MPI_LONG, MPI_SUM, win);
        MPI_Win_flush(0, win);
    }
    if (me == 1) {
        long count = 0;
        while (count < 1) {
            MPI_Fetch_and_op(&zero, &count, MPI_LONG, 0, 3, MPI_NO_OP, win);
            MPI_Win_flush(0, win);
        }
        seen = x[0] + x[2]; /* race: a */
    }
    MPI_Win_unlock_all(win);
    (void)seen;
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
