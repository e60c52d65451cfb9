/* thrille: n=2 */
/* MPI_Get_address writes where it is told, here into the window that the other rank gets from (4.1.5, 11.5.1). */
#include <mpi.h>

static MPI_Aint x[2];
static long data[4];

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Win win;
    MPI_Aint got = 0;
    MPI_Win_create(x, sizeof(x), sizeof(MPI_Aint), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    if (me == 1)
        MPI_Get_address(data, &x[0]); /* race: a */
    if (me == 0)
        MPI_Get(&got, 1, MPI_AINT, 1, 0, 1, MPI_AINT, win); /* race: a */
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
