/* thrille: n=2 */
/* A gather in place at the root leaves the root's block alone, which is got meanwhile (5.5). */
#include <mpi.h>
#include <stddef.h>

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
    long mine = me, got;
    if (me == 1)
        MPI_Get(&got, 1, MPI_LONG, 0, 0, 1, MPI_LONG, win);
    if (me == 0)
        MPI_Gather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, x, 1, MPI_LONG, 0, MPI_COMM_WORLD);
    else
        MPI_Gather(&mine, 1, MPI_LONG, NULL, 0, MPI_DATATYPE_NULL, 0, MPI_COMM_WORLD);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
