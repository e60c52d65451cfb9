/* thrille: n=2 */
/* Each line that calls std::fill on what another rank gets is a line of its own. */
#include <algorithm>
#include <mpi.h>

static long cells[32];

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Win win;
    MPI_Win_create(cells, sizeof cells, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    long got[10];
    if (me == 0)
        MPI_Get(got, 3, MPI_LONG, 1, 9, 3, MPI_LONG, win);
    if (me == 1) {
        std::fill(cells + 24, cells + 32, 1L);
        std::fill(cells + 12, cells + 16, 2L);
        std::fill(cells, cells + 5, 3L);
        std::fill(cells + 7, cells + 9, 4L);
        std::fill(cells + 16, cells + 24, 5L);
    }
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
