/* thrille: n=2 flags=-std=c++20 */
/* A std::barrier whose completion function exchanges the halo; a thread stores between its arrival and its wait (thread.barrier.class: arrive does not block). */
#include <mpi.h>
#include <atomic>
#include <barrier>
#include <thread>
#include <vector>

int main(int argc, char **argv)
{
    int provided, rank;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    double *w;
    MPI_Win win;
    MPI_Win_allocate(4 * sizeof(double), sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &w, &win);
    for (int i = 0; i < 4; i++)
        w[i] = 0;
    MPI_Win_fence(0, win);
    {
        auto exchange = [&]() noexcept {
            MPI_Win_fence(0, win);
            MPI_Put(&w[0], 1, MPI_DOUBLE, 1 - rank, 2, 1, MPI_DOUBLE, win); /* race: a */
            MPI_Put(&w[1], 1, MPI_DOUBLE, 1 - rank, 3, 1, MPI_DOUBLE, win);
            MPI_Win_fence(0, win);
        };
        std::barrier all(2, exchange);
        std::atomic<int> first{0};
        std::vector<std::thread> threads;
        for (int t = 0; t < 2; t++)
            threads.emplace_back([&, t] {
                for (int step = 1; step <= 4; step++) {
                    if (t == 0) {
                        w[0] = step;
                        auto token = all.arrive();
                        first.store(step, std::memory_order_relaxed);
                        w[0] = -step; /* race: a */
                        all.wait(std::move(token));
                    } else {
                        w[1] += w[3];
                        while (first.load(std::memory_order_relaxed) < step)
                            ;
                        all.arrive_and_wait();
                    }
                }
            });
        for (auto &thread : threads)
            thread.join();
    }
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
