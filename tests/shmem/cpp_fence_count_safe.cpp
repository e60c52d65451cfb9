/* thrille: n=1 flags=-pthread */
/* C++: release fences, carried through relaxed decrements to the last one, which has an acquire fence. */
#include <atomic>
#include <shmem.h>
#include <thread>
#include <vector>

static long data[4];
static std::atomic<int> left{4};
static long sum;

static void worker(int i)
{
    data[i] = i;
    std::atomic_thread_fence(std::memory_order_release);
    if (left.fetch_sub(1, std::memory_order_relaxed) == 1) {
        std::atomic_thread_fence(std::memory_order_acquire);
        for (int k = 0; k < 4; k++)
            sum += data[k];
    }
}

int main()
{
    int provided;
    shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
    std::vector<std::thread> t;
    for (int i = 0; i < 4; i++)
        t.emplace_back(worker, i);
    for (auto &x : t)
        x.join();
    shmem_finalize();
    return 0;
}
