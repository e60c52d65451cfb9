/* thrille: n=2 flags=-std=c++20 */
/* Algorithms over a span of window memory, while a put is under way to it (11.5.1). */
#include <mpi.h>
#include <algorithm>
#include <numeric>
#include <ranges>
#include <span>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    long *base;
    MPI_Win win;
    MPI_Win_allocate(16 * sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    std::span<long> mine(base, 16);
    std::iota(mine.begin(), mine.end(), 1);
    long five = 5;
    volatile long seen = 0;
    MPI_Win_fence(0, win);
    if (me == 0)
        MPI_Put(&five, 1, MPI_LONG, 1, 3, 1, MPI_LONG, win); /* race: a, b, c, d */
    if (me == 1) {
        seen = std::accumulate(mine.begin(), mine.end(), 0L); /* race: a */
        std::sort(mine.begin(), mine.end()); /* race: b */
        seen = *std::ranges::max_element(mine); /* race: c */
        auto middle = mine.subspan(2, 4);
        for (long &value : middle)
            value *= 2; /* race: d */
        seen = std::reduce(mine.begin() + 8, mine.end());
    }
    MPI_Win_fence(0, win);
    (void)seen;
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
