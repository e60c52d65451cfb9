/* thrille: n=2 */
/* A part of a partitioned message may be used when it has arrived, though others may not have. */
#include <mpi.h>

static long value[4];

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    volatile long seen = 0;
    MPI_Request request;
    int there = 0;
    if (me == 0) {
#if MPI_VERSION >= 4
        MPI_Psend_init(value, 2, 2, MPI_LONG, 1, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
        MPI_Start(&request);
        MPI_Pready(0, request);
        value[3] = 1;
        MPI_Pready(1, request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Request_free(&request);
#else
        MPI_Send(value, 4, MPI_LONG, 1, 0, MPI_COMM_WORLD);
#endif
    }
    if (me == 1) {
#if MPI_VERSION >= 4
        MPI_Precv_init(value, 2, 2, MPI_LONG, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
#else
        MPI_Recv_init(value, 4, MPI_LONG, 0, 0, MPI_COMM_WORLD, &request);
#endif
        MPI_Start(&request);
        while (!there) {
#if MPI_VERSION >= 4
            MPI_Parrived(request, 1, &there);
#else
            MPI_Request_get_status(request, &there, MPI_STATUS_IGNORE);
#endif
        }
        seen = value[3];
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Request_free(&request);
    }
    (void)seen;
    MPI_Finalize();
    return 0;
}
