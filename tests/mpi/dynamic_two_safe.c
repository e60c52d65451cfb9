/* thrille: n=2 */
/* The put goes to the address of the other region. */
#include <mpi.h>

static long x[4], y[4];
static long one = 1;

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Aint at[2];
    MPI_Win win;
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    /* The higher address first: Open MPI 4.1.4 on UCX crashes now and then otherwise. */
    MPI_Win_attach(win, y, sizeof(y));
    MPI_Win_attach(win, x, sizeof(x));
    MPI_Get_address(x, &at[0]);
    MPI_Get_address(y, &at[1]);
    MPI_Bcast(at, 2, MPI_AINT, 1, MPI_COMM_WORLD);
    MPI_Win_lock_all(0, win);
    if (me == 0)
        MPI_Put(&one, 1, MPI_LONG, 1, at[1], 1, MPI_LONG, win);
    if (me == 1)
        x[0] = 2;
    MPI_Win_unlock_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_detach(win, y);
    MPI_Win_detach(win, x);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
