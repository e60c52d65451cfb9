/* thrille: n=1 flags=-pthread */
/* C++: std::timed_mutex, released too early. */
#include <chrono>
#include <mutex>
#include <shmem.h>
#include <thread>

static std::timed_mutex m;
static long v;

static void work()
{
    for (int i = 0; i < 20; i++) {
        if (m.try_lock_for(std::chrono::seconds(100))) {
            m.unlock();
            v++; /* race: a a */
        }
    }
}

int main()
{
    int provided;
    shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
    std::thread a(work), b(work);
    a.join();
    b.join();
    shmem_finalize();
    return 0;
}
