/* thrille: n=2 */
/* The buffer of a send whose request was freed is in use, however the sender tells the receiver of itself. */
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
        MPI_Isend(&value, 1, MPI_LONG, 1, 0, MPI_COMM_WORLD, &request); /* race: a */
        MPI_Request_free(&request);
    }
    if (me == 1) {
        MPI_Recv(&value, 1, MPI_LONG, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Gather(&mine, 1, MPI_LONG, sum, 1, MPI_LONG, 1, MPI_COMM_WORLD);
    if (me == 0) {
        value = 2; /* race: a */
    }
    MPI_Finalize();
    return 0;
}
