/* thrille: n=2 */
/* The last of the puts that repeat is flushed before the next one of the same bytes. */
#include <mpi.h>
#include <stdlib.h>

static long x[8];
static long from[4];

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Win win;
    MPI_Win_create(x, sizeof(x), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_lock_all(0, win);
    if (me == 0)
        for (int i = 0; i < 10; i++) {
            MPI_Put(from, 4, MPI_LONG, 1, 0, 4, MPI_LONG, win);
            MPI_Win_flush(1, win);
            if (i == 9)
                MPI_Put(from, 1, MPI_LONG, 1, 3, 1, MPI_LONG, win);
            MPI_Win_flush(1, win);
        }
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
