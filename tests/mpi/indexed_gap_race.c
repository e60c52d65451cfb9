/* thrille: n=2 */
/* Rank 1 stores to the second word of the second block (3 and 4). */
#include <mpi.h>

static long x[8];
static long from[3];

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Win win;
    MPI_Win_create(x, sizeof(x), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_lock_all(0, win);
    MPI_Datatype indexed;
    int lengths[2] = {1, 2}, places[2] = {0, 3};
    MPI_Type_indexed(2, lengths, places, MPI_LONG, &indexed);
    MPI_Type_commit(&indexed);
    if (me == 0)
        MPI_Put(from, 3, MPI_LONG, 1, 0, 1, indexed, win); /* race: a */
    if (me == 1)
        x[4] = 2; /* race: a */
    MPI_Type_free(&indexed);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
