/* PE 1 loads what PE 0 puts, 20 milliseconds later: a race that plain runs never show. */
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
        shmem_long_put(&x, &one, 1, 1); /* race: a */
        shmem_quiet();
    }
    if (me == 1) {
        usleep(20000);
        begin_ns = now_ns();
        seen = x; /* race: a */
    }
    end_ns = now_ns();
    (void)seen;
    testify();
    shmem_finalize();
    return 0;
}
