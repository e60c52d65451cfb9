/* thrille: n=2 */
/* MPI_Win_create over static memory, fence: the store of rank 1 is in the same epoch as the get of rank 0, before
   the fence that completes it. */
#include <mpi.h>

static long x[4];
static long got;

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Win win;
    MPI_Win_create(x, sizeof(x), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    if (me == 0)
        MPI_Get(&got, 1, MPI_LONG, 1, 0, 1, MPI_LONG, win); /* race: a */
    if (me == 1)
        x[0] = 2; /* race: a */
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
