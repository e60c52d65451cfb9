/* thrille: n=2 */
/* Both requests are waited for before the buffer is written (3.7.2). */
#include <mpi.h>

static long x[2];

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Win win;
    MPI_Win_create(x, sizeof(x), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    long got = 0;
    MPI_Request left, right;
    if (me == 0) {
        MPI_Isend(&x[0], 1, MPI_LONG, MPI_PROC_NULL, 1, MPI_COMM_WORLD, &left);
        MPI_Isend(&x[0], 1, MPI_LONG, 1, 1, MPI_COMM_WORLD, &right);
        MPI_Wait(&left, MPI_STATUS_IGNORE);
        MPI_Wait(&right, MPI_STATUS_IGNORE);
        x[0] = 1;
    } else {
        MPI_Recv(&got, 1, MPI_LONG, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
