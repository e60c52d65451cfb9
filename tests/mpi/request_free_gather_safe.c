/* thrille: n=2 */
/* The buffer of a send whose request was freed may be used when a collective has told the sender of the receiver. */
#include <mpi.h>

static long value = 1;
static long sum[2];

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    long mine = me;
    MPI_Request request;
    if (me == 0) {
        MPI_Isend(&value, 1, MPI_LONG, 1, 0, MPI_COMM_WORLD, &request);
        MPI_Request_free(&request);
    }
    if (me == 1) {
        MPI_Recv(&value, 1, MPI_LONG, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Gather(&mine, 1, MPI_LONG, sum, 1, MPI_LONG, 0, MPI_COMM_WORLD);
    if (me == 0) {
        value = 2;
    }
    MPI_Finalize();
    return 0;
}
