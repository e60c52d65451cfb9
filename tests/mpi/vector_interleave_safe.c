/* thrille: n=3 */
/* One origin puts the even and the other the odd words. */
#include <mpi.h>

static long from[4];

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    long *x;
    MPI_Win win;
    MPI_Win_allocate(10 * sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &x, &win);
    MPI_Win_lock_all(0, win);
    MPI_Datatype vector;
    MPI_Type_vector(4, 1, 2, MPI_LONG, &vector);
    MPI_Type_commit(&vector);
    int place = me / 2;
    if (me == 0 || me == 2)
        MPI_Put(from, 4, MPI_LONG, 1, place, 1, vector, win);
    MPI_Type_free(&vector);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
