/* thrille: n=2 */
/* Rank 1 stores to the third of the words, which are two apart. */
#include <mpi.h>

static long x[8];
static long to[3];

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Win win;
    MPI_Win_create(x, sizeof(x), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_lock_all(0, win);
    MPI_Datatype wide;
    MPI_Type_create_resized(MPI_LONG, 0, 2 * sizeof(long), &wide);
    MPI_Type_commit(&wide);
    if (me == 0)
        MPI_Get(to, 3, MPI_LONG, 1, 0, 3, wide, win); /* race: a */
    if (me == 1)
        x[4] = 2; /* race: a */
    MPI_Type_free(&wide);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
