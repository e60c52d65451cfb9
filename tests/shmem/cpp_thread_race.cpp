/* thrille: n=2 flags=-pthread */
/* The put of a std::thread that is joined only after the barrier: the barrier does not complete it. */
#include <shmem.h>
#include <thread>

static long x;

int main()
{
    int provided;
    shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
    int me = shmem_my_pe();
    volatile long seen = 0;
    std::thread thread([me] {
        if (me == 0)
            shmem_long_p(&x, 1, 1); /* race: a */
    });
    shmem_barrier_all();
    if (me == 1)
        seen = x; /* race: a */
    thread.join();
    (void)seen;
    shmem_finalize();
    return 0;
}
