/* thrille: n=2,4 */
/* MPI_Win_create over malloc: flush completes the put at the target, the barrier orders it before the store. */
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
    MPI_Win_lock_all(0, win);
    if (me == 0) {
        MPI_Put(&one, 1, MPI_LONG, 1, 0, 1, MPI_LONG, win);
        MPI_Win_flush(1, win);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (me == 1)
        x[0] = 2;
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    free(x);
    MPI_Finalize();
    return 0;
}
