/* thrille: n=2 flags=-O1 */
/* The assignment to the remote reference is a put: without a barrier it races with the load. */
#include <shmem.h>

static long x;

static void put(long *to, long value, int pe)
{
    shmem_long_p(to, value, pe); /* race: a */
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
    if (me == 1)
        seen = x; /* race: a */
    (void)seen;
    shmem_finalize();
    return 0;
}
