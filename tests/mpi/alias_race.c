/* thrille: n=2 */
/* The pointer, computed in bytes from the first word, is to the word that the put writes. */
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
    long *alias = (long *)((char *)x + 3 * sizeof(long));
    if (me == 0)
        MPI_Put(&one, 1, MPI_LONG, 1, 3, 1, MPI_LONG, win); /* race: a */
    if (me == 1)
        *alias = 2; /* race: a */
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
