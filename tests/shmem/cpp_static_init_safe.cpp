/* thrille: n=1 flags=-pthread */
/* C++: who uses a static variable of a function comes after its initialisation. */
#include <shmem.h>
#include <thread>

struct Table {
    long v[8];
    Table()
    {
        for (int i = 0; i < 8; i++)
            v[i] = i;
    }
};

static Table &table()
{
    static Table table;
    return table;
}

static void use(int who)
{
    volatile long seen = 0;
    seen = table().v[3];
    (void)seen;
    (void)who;
}

int main()
{
    int provided;
    shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
    std::thread a(use, 0), b(use, 1);
    a.join();
    b.join();
    shmem_finalize();
    return 0;
}
