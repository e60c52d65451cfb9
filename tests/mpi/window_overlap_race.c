/* thrille: n=2 */
/* Word 5 of the first window is word 1 of the second. */
#include <mpi.h>

static long x[8];
static long one = 1;

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Win win, other;
    MPI_Win_create(x, 6 * sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_create(&x[4], 4 * sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &other);
    MPI_Win_lock_all(0, win);
    MPI_Win_lock_all(0, other);
    if (me == 0) {
        MPI_Put(&one, 1, MPI_LONG, 1, 5, 1, MPI_LONG, win); /* race: a */
        MPI_Put(&one, 1, MPI_LONG, 1, 1, 1, MPI_LONG, other); /* race: a */
    }
    MPI_Win_unlock_all(other);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&other);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
