/* thrille: n=2 */
/* The first accumulate of its type, where the library takes locks of its own, against a store. */
#include <mpi.h>

static long x[4];
static long one = 1;

int main(int argc, char **argv)
{
    int level, me;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Win win;
    MPI_Win_create(x, sizeof(x), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_lock_all(0, win);
    if (me == 0)
        MPI_Accumulate(&one, 1, MPI_LONG, 1, 0, 1, MPI_LONG, MPI_SUM, win); /* race: a */
    if (me == 1)
        x[0] = 2; /* race: a */
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
