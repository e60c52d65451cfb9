/* thrille: n=2 */
/* A nonblocking broadcast of nothing and a send: both are waited for (3.7.2, 5.12). */
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
    long got = 0;
    MPI_Request none, request;
    MPI_Ibcast(&got, 0, MPI_LONG, 0, MPI_COMM_WORLD, &none);
    if (me == 0) {
        MPI_Isend(&x[0], 1, MPI_LONG, 1, 1, MPI_COMM_WORLD, &request);
    } else {
        MPI_Irecv(&got, 1, MPI_LONG, 0, 1, MPI_COMM_WORLD, &request);
    }
    MPI_Wait(&none, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (me == 0)
        x[0] = 1;
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
