/* thrille: n=2 */
/* The result of the first rank of an exclusive scan is not written (5.11.2). */
#include <mpi.h>

static long x[2];
static long one = 1;

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me, n;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    MPI_Win win;
    MPI_Win_create(x, sizeof(x), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_lock_all(0, win);
    long mine = me + 1;
    if (me == 1)
        MPI_Put(&one, 1, MPI_LONG, 0, 0, 1, MPI_LONG, win);
    long sum = 0;
    long *into = me == 0 ? x : &sum;
    MPI_Exscan(&mine, into, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
