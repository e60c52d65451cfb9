/* thrille: n=2 */
/* The store hits the last of the three bytes that the put writes. */
#include <mpi.h>

static char x[16];
static char from[3] = "ab";

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Win win;
    MPI_Win_create(x, sizeof(x), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_lock_all(0, win);
    if (me == 0)
        MPI_Put(from, 3, MPI_CHAR, 1, 3, 3, MPI_CHAR, win); /* race: a */
    if (me == 1)
        x[5] = 'x'; /* race: a */
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
