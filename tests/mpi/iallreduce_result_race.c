/* thrille: n=2,4 */
/* The result of Iallreduce is read before its Wait. */
#include <mpi.h>

static long value;

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    volatile long seen = 0;
    long mine = me;
    MPI_Request request;
    MPI_Iallreduce(&mine, &value, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD, &request); /* race: a */
    seen = value; /* race: a */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    (void)seen;
    MPI_Finalize();
    return 0;
}
