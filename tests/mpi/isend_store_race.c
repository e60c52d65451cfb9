/* thrille: n=2 */
/* The buffer is written while the send may still read it. */
#include <mpi.h>

static long value;

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    if (me == 0) {
        MPI_Request request;
        MPI_Isend(&value, 1, MPI_LONG, 1, 0, MPI_COMM_WORLD, &request); /* race: a */
        value = 2; /* race: a */
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    if (me == 1)
        MPI_Recv(&value, 1, MPI_LONG, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
