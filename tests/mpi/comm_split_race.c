/* thrille: n=4 */
/* Rank 1 is not in the communicator of the even ranks. */
#include <mpi.h>

static long one = 1;

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    volatile long seen = 0;
    long *x;
    MPI_Win win;
    MPI_Win_allocate(4 * sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &x, &win);
    MPI_Win_lock_all(0, win);
    int target = 1;
    MPI_Comm half;
    MPI_Comm_split(MPI_COMM_WORLD, me % 2, me, &half);
    if (me == 0) {
        MPI_Put(&one, 1, MPI_LONG, target, 0, 1, MPI_LONG, win); /* race: a */
        MPI_Win_flush(target, win);
    }
    MPI_Barrier(half);
    if (me == target)
        seen = x[0]; /* race: a */
    MPI_Comm_free(&half);
    MPI_Win_unlock_all(win);
    (void)seen;
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
