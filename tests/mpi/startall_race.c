/* thrille: n=2 */
/* Persistent sends of two columns of the window, started together: one of the columns is stored before its Wait (3.9). */
#include <mpi.h>

static double a[4][3];

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me, n;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    MPI_Win win;
    MPI_Win_create(a, sizeof(a), sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Datatype column;
    MPI_Type_vector(4, 1, 3, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);
    double b[4][3];
    MPI_Request requests[2];
    if (me == 0) {
        MPI_Send_init(&a[0][0], 1, column, 1, 1, MPI_COMM_WORLD, &requests[0]);
        MPI_Send_init(&a[0][2], 1, column, 1, 2, MPI_COMM_WORLD, &requests[1]);
    } else {
        MPI_Recv_init(&b[0][0], 1, column, 0, 1, MPI_COMM_WORLD, &requests[0]);
        MPI_Recv_init(&b[0][2], 1, column, 0, 2, MPI_COMM_WORLD, &requests[1]);
    }
    MPI_Type_free(&column);
    for (int step = 0; step < 3; step++) {
        MPI_Startall(2, requests); /* race: a */
        if (me == 0)
            a[3][2] = step; /* race: a */
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
