/* thrille: n=2 */
/* MPI_Unpack writes its buffer, MPI_Pack reads it: after the closing fence. */
#include <mpi.h>

static long x[4];
static long one = 1;

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Win win;
    MPI_Win_create(x, sizeof(x), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    char packed[64] = {0};
    int at = 0;
    MPI_Win_fence(0, win);
    if (me == 0) {
        MPI_Get(&one, 1, MPI_LONG, 1, 0, 1, MPI_LONG, win);
    }
    if (me == 1) {
        MPI_Pack(x, 1, MPI_LONG, packed, sizeof(packed), &at, MPI_COMM_WORLD);
        at = 0;
    }
    MPI_Win_fence(0, win);
    if (me == 1) {
        MPI_Unpack(packed, sizeof(packed), &at, x, 1, MPI_LONG, MPI_COMM_WORLD);
    }
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
