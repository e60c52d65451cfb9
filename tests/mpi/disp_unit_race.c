/* thrille: n=2 */
/* Displacement 1 at rank 1, whose unit is 8 bytes, is its second word. */
#include <mpi.h>

static long x[4];
static long one = 1;

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Win win;
    int unit = me == 1 ? (int)sizeof(long) : 1;
    MPI_Win_create(x, sizeof(x), unit, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_lock_all(0, win);
    if (me == 0)
        MPI_Put(&one, 1, MPI_LONG, 1, 1, 1, MPI_LONG, win); /* race: a */
    if (me == 1)
        x[1] = 2; /* race: a */
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
