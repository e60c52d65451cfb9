/* thrille: n=2 */
/* Each end of a line stores where its one neighbour's element is to arrive. */
#include <mpi.h>

static double own[2], around[2];

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    int size = 2, periodic = 0;
    MPI_Comm line;
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &line);
    MPI_Request request;
    MPI_Ineighbor_allgather(own, 1, MPI_DOUBLE, around, 1, MPI_DOUBLE, line, &request); /* race: a */
    around[1 - me] = 1; /* race: a */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm_free(&line);
    MPI_Finalize();
    return 0;
}
