/* thrille: n=1 flags=-std=c++20 */
/* std::atomic<std::shared_ptr>: its operations do not race (util.smartptr.atomic), and who loads what another thread stored comes after that. */
#include <atomic>
#include <memory>
#include <shmem.h>
#include <thread>

static std::atomic<std::shared_ptr<long>> box;
static std::shared_ptr<long> made = std::make_shared<long>(1);

static std::atomic<bool> looked;

static void produce()
{
    while (!looked.load(std::memory_order_relaxed))
        std::this_thread::yield();
    *made = 2;
    box.store(made, std::memory_order_release);
}

static void consume()
{
    volatile long seen = 0;
    while (!seen) {
        std::shared_ptr<long> now = box.load(std::memory_order_acquire);
        looked.store(true, std::memory_order_relaxed);
        if (now)
            seen = *now;
        else
            std::this_thread::yield();
    }
}

int main()
{
    int provided;
    shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
    std::thread producer(produce);
    std::thread consumer(consume);
    producer.join();
    consumer.join();
    shmem_finalize();
    return 0;
}
