/* thrille: n=2 flags=-std=c++20 */
/* Threads count a latch down when they have put and flushed (thread.latch), and main waits for it before the barrier. */
#include <mpi.h>
#include <latch>
#include <thread>
#include <vector>

int main(int argc, char **argv)
{
    int provided, rank, size;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    double *w;
    MPI_Win win;
    MPI_Win_allocate(32 * sizeof(double), sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &w, &win);
    MPI_Win_lock_all(0, win);
    MPI_Barrier(MPI_COMM_WORLD);
    {
        std::latch done(3);
        std::vector<std::jthread> threads;
        double from[3] = {1, 2, 3};
        int to = (rank + 1) % size;
        for (int t = 0; t < 3; t++)
            threads.emplace_back([&, t] {
                MPI_Put(&from[t], 1, MPI_DOUBLE, to, t, 1, MPI_DOUBLE, win);
                MPI_Win_flush(to, win);
                done.count_down();
            });
        done.wait();
        MPI_Barrier(MPI_COMM_WORLD);
        volatile double seen = 0;
        for (int t = 0; t < 3; t++)
            seen = w[t];
        (void)seen;
    }
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
