/* thrille: n=2 */
/* A window that was used with fences is used with locks: the load of rank 1 is under its own lock (11.5.1, 11.5.3). */
#include <mpi.h>

static long x[2];
static long one = 1;

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me, n;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    MPI_Win win;
    MPI_Win_create(x, sizeof(x), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    volatile long seen = 0;
    for (int round = 0; round < 3; round++) {
        MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
        if (me == 0)
            MPI_Put(&one, 1, MPI_LONG, 1, 0, 1, MPI_LONG, win);
        MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
        if (me == 1)
            seen = x[0];
        MPI_Barrier(MPI_COMM_WORLD);
        if (me == 0) {
            MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
            MPI_Put(&one, 1, MPI_LONG, 1, 0, 1, MPI_LONG, win);
            MPI_Win_unlock(1, win);
        } else {
            MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
            seen = x[0];
            MPI_Win_unlock(1, win);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    (void)seen;
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
