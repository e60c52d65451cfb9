/* thrille: n=2 */
/* A lock by hand, taken with Compare_and_swap and given back with MPI_REPLACE, as queues of the standard do: the two go together. */
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
    for (int i = 0; i < 2; i++) {
        long old = 1;
        while (old != 0) {
            MPI_Compare_and_swap(&one, &zero, &old, MPI_LONG, 0, 0, win);
            MPI_Win_flush(0, win);
        }
        MPI_Put(&one, 1, MPI_LONG, 0, 1, 1, MPI_LONG, win);
        MPI_Win_flush(0, win);
        MPI_Accumulate(&zero, 1, MPI_LONG, 0, 0, 1, MPI_LONG, MPI_REPLACE, win);
        MPI_Win_flush(0, win);
    }
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
