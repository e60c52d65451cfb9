/* thrille: n=2,4 */
/* A barrier stands between the store of rank 0 and the load of rank 1. */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    volatile long seen = 0;
    long *x;
    MPI_Win win;
    long *near;
    MPI_Aint size;
    int unit;
    MPI_Win_allocate_shared(4 * sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &x, &win);
    MPI_Win_lock_all(0, win);
    MPI_Win_shared_query(win, 1, &size, &unit, &near);
    if (me == 0)
        near[0] = 1;
    MPI_Barrier(MPI_COMM_WORLD);
    if (me == 1)
        seen = x[0];
    MPI_Win_unlock_all(win);
    (void)seen;
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
