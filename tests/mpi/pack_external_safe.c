/* thrille: n=2 */
/* MPI_Pack_external reads up to what another rank puts to. */
#include <mpi.h>

static long cells[16];

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Win win;
    MPI_Win_create(cells, sizeof cells, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    long one = 1;
    if (me == 0)
        MPI_Put(&one, 1, MPI_LONG, 1, 5, 1, MPI_LONG, win);
    if (me == 1) {
        char packed[64];
        MPI_Aint position = 0;
        MPI_Pack_external("external32", &cells[4], 1, MPI_LONG, packed, sizeof packed, &position);
    }
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
