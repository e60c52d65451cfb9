/* thrille: n=2 */
/* Allgather in place leaves the own block as it is, which is got meanwhile (5.7). */
#include <mpi.h>

static long x[2];

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me, n;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    MPI_Win win;
    MPI_Win_create(x, sizeof(x), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_lock_all(0, win);
    long got;
    x[me] = me;
    MPI_Barrier(MPI_COMM_WORLD);
    if (me == 1)
        MPI_Get(&got, 1, MPI_LONG, 0, 0, 1, MPI_LONG, win);
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, x, 1, MPI_LONG, MPI_COMM_WORLD);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    
    MPI_Finalize();
    return 0;
}
