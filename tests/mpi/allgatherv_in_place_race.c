/* thrille: n=2 */
/* Allgatherv in place writes the others' parts into this rank's buffer: the put of rank 0 to it is not complete when rank 1 calls (5.7). */
#include <mpi.h>

static int x[4];
static int one = 1;

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Win win;
    MPI_Win_create(x, sizeof(x), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_lock_all(0, win);
    int counts[2] = {2, 2}, shifts[2] = {0, 2};
    if (me == 0) {
        MPI_Put(&one, 1, MPI_INT, 1, 0, 1, MPI_INT, win); /* race: a */
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Allgatherv(MPI_IN_PLACE, 2, MPI_DATATYPE_NULL, x, counts, shifts, MPI_INT, MPI_COMM_WORLD); /* race: a */
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
