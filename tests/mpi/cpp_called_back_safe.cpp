/* thrille: n=2 */
/* The library calls the program back: what a lambda and an operator do are their own lines' doing, and what the library does for a lambda is the lambda's line's. */
#include <algorithm>
#include <functional>
#include <mpi.h>

struct key {
    long value;
    bool operator==(const key &other) const
    {
        return value == other.value;
    }
};

static key cells[32];
static const key missing{-1};

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    volatile long seen = 0;
    MPI_Win win;
    MPI_Win_create(cells, sizeof cells, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_lock_all(0, win);
    key mine{5};
    if (me == 0)
        MPI_Put(&mine, 1, MPI_LONG, 1, 30, 1, MPI_LONG, win);
    if (me == 1) {
        seen = std::find(cells, cells + 16, missing) - cells;
        seen = std::find(cells + 16, cells + 30, missing) - cells;
        std::for_each(cells, cells + 16, [&](key &each) {
            seen = each.value;
            std::swap(each, mine);
        });
        std::for_each(cells + 16, cells + 24, [&](key &each) {
            seen = each.value;
            std::swap(each, mine);
        });
    }
    MPI_Win_unlock_all(win);
    (void)seen;
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
