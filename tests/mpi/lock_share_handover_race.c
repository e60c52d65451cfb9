/* thrille: n=2 */
/* A flag set under a shared lock and seen by who has it alone: the data is put after it was set. */
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
        MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
        MPI_Put(&one, 1, MPI_LONG, 1, 1, 1, MPI_LONG, win);
        MPI_Win_unlock(1, win);
        MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
        MPI_Put(&one, 1, MPI_LONG, 0, 0, 1, MPI_LONG, win); /* race: a */
        MPI_Win_unlock(0, win);
    }
    if (me == 0) {
        long ready = 0;
        while (ready == 0) {
            MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
            MPI_Get(&ready, 1, MPI_LONG, 1, 1, 1, MPI_LONG, win);
            MPI_Win_unlock(1, win);
        }
        seen = x[0]; /* race: a */
    }
    (void)seen;
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
