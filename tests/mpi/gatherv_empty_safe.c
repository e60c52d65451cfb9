/* thrille: n=3 */
/* Who gives something to a gather comes before its root. */
#include <mpi.h>

static long x[4], from = 1;
static int one, all[3];

int main(int argc, char **argv)
{
    volatile long seen;
    MPI_Init(&argc, &argv);
    int me;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    int counts[3] = {1, 0, 1}, places[3] = {0, 1, 2};
    MPI_Win win;
    MPI_Win_create(x, sizeof(x), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_lock_all(0, win);
    if (me == 2) {
        MPI_Put(&from, 1, MPI_LONG, 0, 0, 1, MPI_LONG, win);
        MPI_Win_flush(0, win);
    }
    MPI_Gatherv(&one, counts[me], MPI_INT, all, counts, places, MPI_INT, 0, MPI_COMM_WORLD);
    if (me == 0)
        seen = x[0];
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
