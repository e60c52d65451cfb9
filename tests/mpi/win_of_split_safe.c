/* thrille: n=4 */
/* The word of rank 3, in the window of the odd ranks, is another. */
#include <mpi.h>

static long x[4];
static long one = 1;

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    volatile long seen = 0;
    MPI_Comm half;
    MPI_Win win;
    MPI_Comm_split(MPI_COMM_WORLD, me % 2, me, &half);
    MPI_Win_create(x, sizeof(x), sizeof(long), MPI_INFO_NULL, half, &win);
    MPI_Win_lock_all(0, win);
    if (me == 0)
        MPI_Put(&one, 1, MPI_LONG, 1, 0, 1, MPI_LONG, win);
    if (me == 3)
        seen = x[0];
    MPI_Win_unlock_all(win);
    (void)seen;
    MPI_Win_free(&win);
    MPI_Comm_free(&half);
    MPI_Finalize();
    return 0;
}
