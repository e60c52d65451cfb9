/* thrille: n=2 flags=-pthread */
/* The data is stored before the flag is set with release order and seen with acquire order. */
#include <atomic>
#include <shmem.h>
#include <thread>

static long x;
static std::atomic<bool> ready;

int main()
{
    int provided;
    shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
    int me = shmem_my_pe();
    volatile long seen = 0;
    std::thread thread([] {
        x = 1;
        ready.store(true, std::memory_order_release);
    });
    while (!ready.load(std::memory_order_acquire))
        ;
    seen = x + me;
    thread.join();
    (void)seen;
    shmem_finalize();
    return 0;
}
