/* thrille: n=2 flags=-O1 */
/* The barrier completes the put behind the assignment before the load. */
#include <shmem.h>

static long x;

static void put(long *to, long value, int pe)
{
    shmem_long_p(to, value, pe);
}

template <typename T> class Remote {
public:
    Remote(T &object, int pe) : object_(&object), pe_(pe) {}
    void operator=(T value) const { put(object_, value, pe_); }

private:
    T *object_;
    int pe_;
};

int main()
{
    shmem_init();
    int me = shmem_my_pe();
    volatile long seen = 0;
    if (me == 0)
        Remote<long>(x, 1) = 5;
    shmem_barrier_all();
    if (me == 1)
        seen = x;
    (void)seen;
    shmem_finalize();
    return 0;
}
