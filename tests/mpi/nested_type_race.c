/* thrille: n=2 */
/* The second vector begins where the first one ends, at word 3, which rank 1 stores to. */
#include <mpi.h>

static long x[8];
static long from[4];

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Win win;
    MPI_Win_create(x, sizeof(x), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_lock_all(0, win);
    MPI_Datatype vector, twice;
    MPI_Type_vector(2, 1, 2, MPI_LONG, &vector);
    MPI_Type_contiguous(2, vector, &twice);
    MPI_Type_commit(&twice);
    if (me == 0)
        MPI_Put(from, 4, MPI_LONG, 1, 0, 1, twice, win); /* race: a */
    if (me == 1)
        x[3] = 2; /* race: a */
    MPI_Type_free(&twice);
    MPI_Type_free(&vector);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
