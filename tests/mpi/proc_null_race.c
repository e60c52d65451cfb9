/* thrille: n=2 */
/* The put goes to rank 1, which loads the word at the same time. */
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
    int target = 1;
    if (me == 0)
        MPI_Put(&one, 1, MPI_LONG, target, 0, 1, MPI_LONG, win); /* race: a */
    if (me == 1)
        seen = x[0]; /* race: a */
    MPI_Win_unlock_all(win);
    (void)seen;
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
