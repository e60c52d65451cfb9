/* thrille: n=2 */
/* The store of rank 1 comes after its fence, which exposes the memory to the get of rank 0. */
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
    MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
    if (me == 1)
        x[0] = 2; /* race: a */
    if (me == 0)
        MPI_Get(&got, 1, MPI_LONG, 1, 0, 1, MPI_LONG, win); /* race: a */
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
