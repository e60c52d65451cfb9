/* thrille: n=2 */
/* Of several calls of functions of the C++ library the one that reads what another rank puts is the racy one, whichever is first; a call in a helper is the helper's line. */
#include <algorithm>
#include <mpi.h>
#include <numeric>
#include <vector>

static int cells[48];

static int largest(int from)
{
    return std::max(cells[from], cells[from + 1]); /* race: c */
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
        MPI_Put(&one, 1, MPI_INT, 1, 20, 1, MPI_INT, win); /* race: a, b, c */
    if (me == 1) {
        std::vector<int> got(8);
        std::copy(cells, cells + 8, got.begin());
        std::copy(cells + 16, cells + 24, got.begin()); /* race: a */
        std::copy(cells + 24, cells + 32, got.begin());
        seen = std::accumulate(cells, cells + 16, 0);
        seen = std::accumulate(cells + 16, cells + 32, 0); /* race: b */
        seen = std::accumulate(cells + 32, cells + 48, 0);
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
