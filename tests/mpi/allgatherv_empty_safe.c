/* thrille: n=3 */
/* Who gives something to a gather of all comes before everybody, also before who gives nothing. */
#include <mpi.h>

static long x[4], from = 1;
static int one, all[3];

int main(int argc, char **argv)
{
    volatile long seen = 0;
    MPI_Init(&argc, &argv);
    int me;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    int counts[3] = {1, 0, 1}, places[3] = {0, 1, 1};
    MPI_Win win;
    MPI_Win_create(x, sizeof(x), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_lock_all(0, win);
    if (me == 0) {
        MPI_Put(&from, 1, MPI_LONG, 1, 0, 1, MPI_LONG, win);
        MPI_Win_flush(1, win);
    }
    MPI_Allgatherv(&one, counts[me], MPI_INT, all, counts, places, MPI_INT, MPI_COMM_WORLD);
    if (me == 1)
        seen = x[0];
    (void)seen;
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
