/* thrille: n=2 */
/* Blocks of an origin type that overlap: the five elements from the first to the last are read. */
#include <mpi.h>

static int x[8];
static int from[8];

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Win win;
    MPI_Win_create(x, sizeof(x), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Datatype type;
    MPI_Type_vector(2, 3, 2, MPI_INT, &type);
    MPI_Type_commit(&type);
    MPI_Win_lock_all(0, win);
    if (me == 0) {
        MPI_Put(from, 1, type, 1, 0, 6, MPI_INT, win); /* race: a */
        from[4] = 1; /* race: a */
        MPI_Win_flush(1, win);
    }
    MPI_Win_unlock_all(win);
    MPI_Type_free(&type);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
