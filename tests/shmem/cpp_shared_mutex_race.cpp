/* thrille: n=1 flags=-pthread */
/* C++: a writer that only shares the lock. */
#include <mutex>
#include <shared_mutex>
#include <shmem.h>
#include <thread>

static std::shared_mutex m;
static long value;

static void writer()
{
    for (int i = 0; i < 10; i++) {
        std::shared_lock<std::shared_mutex> g(m);
        value++; /* race: a */
    }
}

static void reader()
{
    volatile long s = 0;
    for (int i = 0; i < 10; i++) {
        std::shared_lock<std::shared_mutex> g(m);
        s += value; /* race: a */
    }
    (void)s;
}

int main()
{
    int provided;
    shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
    std::thread a(writer), b(reader), c(reader);
    a.join();
    b.join();
    c.join();
    shmem_finalize();
    return 0;
}
