/* thrille: n=2 */
/* Flag and data put in two epochs of a shared lock: who sees the flag alone comes after the first of them. */
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
    if (me == 1) {
        MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
        MPI_Put(&one, 1, MPI_LONG, 0, 1, 1, MPI_LONG, win);
        MPI_Win_unlock(0, win);
        MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
        MPI_Put(&one, 1, MPI_LONG, 0, 0, 1, MPI_LONG, win); /* race: a */
        MPI_Win_unlock(0, win);
    }
    if (me == 0) {
        long ready = 0;
        while (ready == 0) {
            MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
            ready = x[1];
            MPI_Win_unlock(0, win);
        }
        seen = x[0]; /* race: a */
    }
    (void)seen;
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
