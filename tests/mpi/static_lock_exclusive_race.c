/* thrille: n=2 */
/* MPI_Win_create over static memory: rank 0 holds the exclusive lock, rank 1 touches its own memory without it: a
   lock on one side protects nothing. */
#include <mpi.h>

static long x[4];
static long got;

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Win win;
    MPI_Win_create(x, sizeof(x), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    if (me == 0) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
        MPI_Get(&got, 1, MPI_LONG, 1, 0, 1, MPI_LONG, win); /* race: a */
        MPI_Win_unlock(1, win);
    }
    if (me == 1) {
        x[0] = 2; /* race: a */
    }
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
