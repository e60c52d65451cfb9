/* thrille: n=2 */
/* std::fill writes up to what another rank puts to: its line is the one that calls it. */
#include <algorithm>
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
        MPI_Put(&one, 1, MPI_LONG, 1, 9, 1, MPI_LONG, win);
    if (me == 1)
        std::fill(cells + 4, cells + 9, 2L);
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
