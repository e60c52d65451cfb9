/* thrille: n=2 */
/* Collectives of two ranks that have nothing to do with each other write one place of a shared window. */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me, unit;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Aint size;
    MPI_Win win;
    int *own, *x;
    MPI_Win_allocate_shared(me == 0 ? 64 : 0, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &own, &win);
    MPI_Win_shared_query(win, 0, &size, &unit, &x);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, &x[2], 1, MPI_INT, MPI_SUM, MPI_COMM_SELF); /* race: a a */
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
