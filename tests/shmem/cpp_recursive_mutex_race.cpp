/* thrille: n=1 flags=-pthread */
/* C++: a recursive mutex is held until its last unlock, and no longer. */
#include <mutex>
#include <shmem.h>
#include <thread>

static std::recursive_mutex m;
static long v;

static void inner()
{
    std::lock_guard<std::recursive_mutex> g(m);
    v++; /* race: b */
}

static void work()
{
    for (int i = 0; i < 20; i++) {
        m.lock();
        inner();
        m.unlock();
        v++; /* race: a a, b */
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
