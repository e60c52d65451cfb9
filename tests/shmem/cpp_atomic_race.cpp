/* thrille: n=2 flags=-pthread */
/* The flag is set before the data is stored, so that the thread that saw it may load too early. */
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
        ready.store(true, std::memory_order_release);
        x = 1; /* race: a */
    });
    while (!ready.load(std::memory_order_acquire))
        ;
    seen = x + me; /* race: a */
    thread.join();
    (void)seen;
    shmem_finalize();
    return 0;
}
