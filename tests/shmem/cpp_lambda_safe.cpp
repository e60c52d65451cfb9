/* thrille: n=2 */
/* A barrier stands between the two lambdas. */
#include <shmem.h>

static long x[4];

int main()
{
    shmem_init();
    int me = shmem_my_pe();
    volatile long seen = 0;
    auto send = [](int pe) {
        shmem_long_p(&x[3], 1, pe);
    };
    auto sum = [] {
        long total = 0;
        for (long value : x)
            total += value;
        return total;
    };
    if (me == 0)
        send(1);
    shmem_barrier_all();
    if (me == 1)
        seen = sum();
    (void)seen;
    shmem_finalize();
    return 0;
}
