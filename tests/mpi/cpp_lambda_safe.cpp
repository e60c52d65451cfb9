/* thrille: n=2 */
/* A flush and a barrier stand between the lambdas. */
#include <mpi.h>

static long x[4];
static long one = 1;

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    volatile long seen = 0;
    MPI_Win win;
    MPI_Win_create(x, sizeof(x), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_lock_all(0, win);
    auto send = [&](int rank) {
        MPI_Put(&one, 1, MPI_LONG, rank, 3, 1, MPI_LONG, win);
    };
    auto sum = [] {
        long total = 0;
        for (long value : x)
            total += value;
        return total;
    };
    if (me == 0)
        send(1);
    MPI_Win_flush_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
    if (me == 1)
        seen = sum();
    MPI_Win_unlock_all(win);
    (void)seen;
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
