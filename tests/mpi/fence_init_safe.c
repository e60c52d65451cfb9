/* thrille: n=2 */
/* Operations issued after a fence access their target only after the target has called the fence, with
   MPI_MODE_NOPRECEDE too. */
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
    if (me == 1)
        x[0] = 2;
    MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
    if (me == 0)
        MPI_Get(&got, 1, MPI_LONG, 1, 0, 1, MPI_LONG, win);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
