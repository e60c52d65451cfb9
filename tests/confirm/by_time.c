/* PE 1 comes so much later that nobody waits for it. */
#include "witness.h"
#include <unistd.h>

static long x, one = 1;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    volatile long seen = 0;
    begin_ns = now_ns();
    if (me == 0) {
        shmem_long_put(&x, &one, 1, 1); /* data */
        shmem_quiet();
        end_ns = now_ns();
    }
    if (me == 1) {
        sleep(1);
        begin_ns = now_ns();
        seen = x; /* data */
        end_ns = now_ns();
    }
    (void)seen;
    testify();
    shmem_finalize();
    return 0;
}
