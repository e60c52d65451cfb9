/* thrille: n=2 */
/* The store of rank 1 hits the last of the million words that the put of rank 0 writes. */
#include <mpi.h>
#include <stdlib.h>

#define COUNT 1048576

static long from[COUNT];

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    long *x = malloc(1048580 * sizeof(long));
    MPI_Win win;
    MPI_Win_create(x, 1048580 * sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_lock_all(0, win);
    if (me == 0)
        MPI_Put(from, COUNT, MPI_LONG, 1, 0, COUNT, MPI_LONG, win); /* race: a */
    if (me == 1)
        x[COUNT - 1] = 2; /* race: a */
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    free(x);
    MPI_Finalize();
    return 0;
}
