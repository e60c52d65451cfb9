/* thrille: n=3 */
/* Accumulates with one operation on one place, but by two windows: between those nothing is atomic (11.2.1, 11.7.1). */
#include <mpi.h>

static long x[2];
static long one = 1;

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Win first, second;
    MPI_Win_create(x, sizeof(x), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &first);
    MPI_Win_create(x, sizeof(x), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &second);
    MPI_Win_lock_all(0, first);
    MPI_Win_lock_all(0, second);
    if (me == 0)
        MPI_Accumulate(&one, 1, MPI_LONG, 1, 0, 1, MPI_LONG, MPI_SUM, first); /* race: a */
    if (me == 2)
        MPI_Accumulate(&one, 1, MPI_LONG, 1, 0, 1, MPI_LONG, MPI_SUM, second); /* race: a */
    MPI_Win_unlock_all(second);
    MPI_Win_unlock_all(first);
    MPI_Win_free(&second);
    MPI_Win_free(&first);
    MPI_Finalize();
    return 0;
}
