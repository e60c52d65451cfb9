/* thrille: n=2 */
/* MPI_Win_create over malloc, fence: the second fence completes the put of rank 0 and orders the store of rank 1
   after it. */
#include <mpi.h>
#include <stdlib.h>

static long one = 1;

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    long *x = malloc(4 * sizeof(long));
    MPI_Win win;
    MPI_Win_create(x, 4 * sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    if (me == 0)
        MPI_Put(&one, 1, MPI_LONG, 1, 0, 1, MPI_LONG, win);
    MPI_Win_fence(0, win);
    if (me == 1)
        x[0] = 2;
    MPI_Win_free(&win);
    free(x);
    MPI_Finalize();
    return 0;
}
