/* thrille: n=2 flags=-pthread */
/* A thread of its own makes the puts. Its client passes the barrier before it has waited for the future. */
#include <mpi.h>
#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

class Progress {
    std::mutex mutex;
    std::condition_variable changed;
    std::deque<std::function<void()>> queue;
    bool over = false;
    std::thread thread;

    void serve()
    {
        for (;;) {
            std::function<void()> task;
            {
                std::unique_lock<std::mutex> held(mutex);
                changed.wait(held, [&] { return over || !queue.empty(); });
                if (queue.empty())
                    return;
                task = std::move(queue.front());
                queue.pop_front();
            }
            task();
        }
    }

  public:
    Progress() : thread([this] { serve(); }) {}

    ~Progress()
    {
        {
            std::lock_guard<std::mutex> held(mutex);
            over = true;
        }
        changed.notify_all();
        thread.join();
    }

    std::future<void> submit(std::function<void()> task)
    {
        auto promise = std::make_shared<std::promise<void>>();
        auto done = promise->get_future();
        {
            std::lock_guard<std::mutex> held(mutex);
            queue.push_back([task, promise] {
                task();
                promise->set_value();
            });
        }
        changed.notify_one();
        return done;
    }
};

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
        Progress progress;
        std::vector<double> buffer(32, rank);
        int to = (rank + 1) % size;
        volatile double seen = 0;
        for (int i = 0; i < 3; i++) {
            for (auto &x : buffer)
                x += i;
            auto done = progress.submit([&] {
                MPI_Put(buffer.data(), 32, MPI_DOUBLE, to, 0, 32, MPI_DOUBLE, win); /* race: a */
                MPI_Win_flush(to, win);
            });
            MPI_Barrier(MPI_COMM_WORLD);
            for (int k = 0; k < 32; k++)
                seen = w[k]; /* race: a */
            done.get();
            MPI_Barrier(MPI_COMM_WORLD);
        }
        (void)seen;
    }
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
