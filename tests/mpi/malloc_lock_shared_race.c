/* thrille: n=2 */
/* MPI_Win_create over malloc: both sides hold a shared lock, which keeps nobody out: the put and the store may
   meet. */
#include <mpi.h>
#include <stdlib.h>

static long one = 1;

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    long *x = malloc(4 * sizeof(long));
    MPI_Win win;
    MPI_Win_create(x, 4 * sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    if (me == 0) {
        MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
        MPI_Put(&one, 1, MPI_LONG, 1, 0, 1, MPI_LONG, win); /* race: a */
        MPI_Win_unlock(1, win);
    }
    if (me == 1) {
        MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
        x[0] = 2; /* race: a */
        MPI_Win_unlock(1, win);
    }
    MPI_Win_free(&win);
    free(x);
    MPI_Finalize();
    return 0;
}
