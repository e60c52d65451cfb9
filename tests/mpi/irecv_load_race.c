/* thrille: n=2 */
/* The buffer is read before the receive is over. */
#include <mpi.h>

static long value;

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    volatile long seen = 0;
    if (me == 0)
        MPI_Send(&value, 1, MPI_LONG, 1, 0, MPI_COMM_WORLD);
    if (me == 1) {
        MPI_Request request;
        MPI_Irecv(&value, 1, MPI_LONG, 0, 0, MPI_COMM_WORLD, &request); /* race: a */
        seen = value; /* race: a */
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    (void)seen;
    MPI_Finalize();
    return 0;
}
