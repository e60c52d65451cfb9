/* thrille: n=3 */
/* Who gets something of a result comes after those whose parts are in it, also of one that gets nothing. */
#include <mpi.h>

static long x[4], from = 1;
static int parts[3], mine[3];

int main(int argc, char **argv)
{
    volatile long seen = 0;
    MPI_Init(&argc, &argv);
    int me;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    int counts[3] = {0, 1, 2};
    MPI_Win win;
    MPI_Win_create(x, sizeof(x), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_lock_all(0, win);
    if (me == 0) {
        MPI_Put(&from, 1, MPI_LONG, 1, 0, 1, MPI_LONG, win);
        MPI_Win_flush(1, win);
    }
    MPI_Reduce_scatter(parts, mine, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (me == 1)
        seen = x[0];
    (void)seen;
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
