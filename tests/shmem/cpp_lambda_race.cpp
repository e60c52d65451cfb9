/* thrille: n=2 */
/* Both lambdas run without a barrier between them: the put of one races with the loop of the other. */
#include <shmem.h>

static long x[4];

int main()
{
    shmem_init();
    int me = shmem_my_pe();
    volatile long seen = 0;
    auto send = [](int pe) {
        shmem_long_p(&x[3], 1, pe); /* race: a */
    };
    auto sum = [] {
        long total = 0;
        for (long value : x) /* race: a */
            total += value;
        return total;
    };
    if (me == 0)
        send(1);
    if (me == 1)
        seen = sum();
    (void)seen;
    shmem_finalize();
    return 0;
}
