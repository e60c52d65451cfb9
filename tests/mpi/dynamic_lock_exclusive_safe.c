/* thrille: n=2 */
/* MPI_Win_create_dynamic: both sides hold the exclusive lock of rank 1, and unlock completes the put. */
#include <mpi.h>

static long one = 1;

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    volatile long seen = 0;
    long x[4];
    MPI_Aint at;
    MPI_Win win;
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_attach(win, x, sizeof(x));
    MPI_Get_address(x, &at);
    MPI_Bcast(&at, 1, MPI_AINT, 1, MPI_COMM_WORLD);
    if (me == 0) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
        MPI_Put(&one, 1, MPI_LONG, 1, at, 1, MPI_LONG, win);
        MPI_Win_unlock(1, win);
    }
    if (me == 1) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
        seen = x[0];
        MPI_Win_unlock(1, win);
    }
    (void)seen;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_detach(win, x);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
