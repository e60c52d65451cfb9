/* thrille: n=2 */
/* The store hits an element that the put reads. */
#include <mpi.h>

static long x[4];
static long from[8];

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Win win;
    MPI_Win_create(x, sizeof(x), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_lock_all(0, win);
    MPI_Datatype vector;
    MPI_Type_vector(4, 1, 2, MPI_LONG, &vector);
    MPI_Type_commit(&vector);
    if (me == 0) {
        MPI_Put(from, 1, vector, 1, 0, 4, MPI_LONG, win); /* race: a */
        from[2] = 1; /* race: a */
    }
    MPI_Type_free(&vector);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
