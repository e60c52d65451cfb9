/* thrille: n=2 */
/* Of several calls of functions of the C++ library none reads what another rank puts. */
#include <algorithm>
#include <mpi.h>
#include <numeric>
#include <vector>

static int cells[48];

static int largest(int from)
{
    return std::max(cells[from], cells[from + 1]);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    volatile int seen = 0;
    MPI_Win win;
    MPI_Win_create(cells, sizeof cells, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    int one = 1;
    if (me == 0)
        MPI_Put(&one, 1, MPI_INT, 1, 45, 1, MPI_INT, win);
    if (me == 1) {
        std::vector<int> got(8);
        std::copy(cells, cells + 8, got.begin());
        std::copy(cells + 16, cells + 24, got.begin());
        std::copy(cells + 24, cells + 32, got.begin());
        seen = std::accumulate(cells, cells + 16, 0);
        seen = std::accumulate(cells + 16, cells + 32, 0);
        seen = std::accumulate(cells + 32, cells + 45, 0);
        seen = std::max(cells[18], cells[19]);
        seen = largest(8);
        seen = largest(20);
    }
    (void)seen;
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
