/* thrille: n=3,4 */
/* Ranks 0 and 2 put to the same word of rank 1 in one phase. */
#include <mpi.h>

static long one = 1;

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    long *x;
    MPI_Win win;
    MPI_Win_allocate(4 * sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &x, &win);
    MPI_Win_lock_all(0, win);
    int place = 0;
    if (me == 0 || me == 2)
        MPI_Put(&one, 1, MPI_LONG, 1, place, 1, MPI_LONG, win); /* race: a a */
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
