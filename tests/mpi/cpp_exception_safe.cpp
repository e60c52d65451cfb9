/* thrille: n=2 */
/* A guard flushes on the way out of a function that throws (11.5.4). */
#include <mpi.h>
#include <stdexcept>

struct Flush {
    MPI_Win win;
    int rank;
    ~Flush() { MPI_Win_flush(rank, win); }
};

static void step(long *from, int depth, MPI_Win win)
{
    Flush guard{win, 1};
    if (depth > 0)
        return step(from, depth - 1, win);
    MPI_Put(from, 1, MPI_LONG, 1, 0, 1, MPI_LONG, win);
    throw std::runtime_error("deep");
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    static long x[2], one = 1;
    volatile long seen = 0;
    MPI_Win win;
    MPI_Win_create(x, sizeof(x), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_lock_all(0, win);
    if (me == 0) {
        try {
            step(&one, 5, win);
        } catch (const std::exception &) {
            one = 2;
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (me == 1)
        seen = x[0];
    (void)seen;
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
