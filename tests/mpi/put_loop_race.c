/* thrille: n=2 */
/* The put of one iteration is still under way when that of the next is issued to the same word; flush_local does
   not complete it at the target. */
#include <mpi.h>

static long x[4];
static long from[3] = {1, 2, 3};

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Win win;
    MPI_Win_create(x, sizeof(x), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_lock_all(0, win);
    if (me == 0) {
        for (int i = 0; i < 3; i++) {
            MPI_Put(&from[i], 1, MPI_LONG, 1, 0, 1, MPI_LONG, win); /* race: a a */
            MPI_Win_flush_local(1, win);
        }
    }
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
