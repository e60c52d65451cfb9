/* thrille: n=2 */
/* A fence that asserts that nothing precedes or succeeds it need not be a barrier: the store and the load are not
   ordered. */
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
    MPI_Win_shared_query(win, 1, &size, &unit, &near);
    MPI_Win_fence(0, win);
    if (me == 0)
        near[0] = 1; /* race: a */
    MPI_Win_fence(MPI_MODE_NOPRECEDE | MPI_MODE_NOSUCCEED, win);
    if (me == 1)
        seen = x[0]; /* race: a */
    MPI_Win_fence(0, win);
    (void)seen;
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
