/* thrille: n=2 flags=-pthread */
/* The thread that puts and flushes is joined before the barrier. */
#include <mpi.h>
#include <thread>

static long x[4];
static long one = 1;

int main(int argc, char **argv)
{
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    int me;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    volatile long seen = 0;
    MPI_Win win;
    MPI_Win_create(x, sizeof(x), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_lock_all(0, win);
    std::thread thread([&] {
        if (me == 0) {
            MPI_Put(&one, 1, MPI_LONG, 1, 0, 1, MPI_LONG, win);
            MPI_Win_flush(1, win);
        }
    });
    thread.join();
    MPI_Barrier(MPI_COMM_WORLD);
    if (me == 1)
        seen = x[0];
    MPI_Win_unlock_all(win);
    (void)seen;
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
