/* thrille: n=2 flags=-pthread */
/* Both threads increment the word under the mutex. */
#include <mutex>
#include <shmem.h>
#include <thread>

static long x;
static std::mutex mutex;

int main()
{
    int provided;
    shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
    int me = shmem_my_pe();
    volatile long seen = 0;
    std::thread thread([] {
        std::lock_guard<std::mutex> guard(mutex);
        x++;
    });
    {
        std::lock_guard<std::mutex> guard(mutex);
        x += me;
    }
    thread.join();
    seen = x;
    (void)seen;
    shmem_finalize();
    return 0;
}
