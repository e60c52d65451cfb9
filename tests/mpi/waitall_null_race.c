/* thrille: n=2 */
/* Of a row of sends the one to nobody is freed first; the other one's buffer is in use until its Wait (3.7.3, 3.11). */
#include <mpi.h>

static double edge[2];

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me, n;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    MPI_Request requests[4];
    double halo[2] = {0, 0};
    int left = me == 0 ? MPI_PROC_NULL : 0, right = me == 0 ? 1 : MPI_PROC_NULL;
    MPI_Irecv(&halo[0], 1, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(&halo[1], 1, MPI_DOUBLE, right, 2, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(&edge[0], 1, MPI_DOUBLE, left, 2, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(&edge[1], 1, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, &requests[3]); /* race: a */
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    edge[1] = 1; /* race: a */
    MPI_Wait(&requests[3], MPI_STATUS_IGNORE);
    
    MPI_Finalize();
    return 0;
}
