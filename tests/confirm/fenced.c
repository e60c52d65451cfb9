/* The same with a fence: the flag cannot overtake the data, though nothing has completed it. */
#include "witness.h"
#include <sched.h>

static long x, one = 1;
static volatile long flag;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    volatile long seen = 0;
    begin_ns = now_ns();
    if (me == 0) {
        shmem_long_put(&x, &one, 1, 1); /* data */
        shmem_fence();
        end_ns = now_ns();
        shmem_long_p((long *)&flag, 1, 1);
    }
    if (me == 1) {
        while (flag == 0)
            sched_yield();
        begin_ns = now_ns();
        seen = x; /* data */
        end_ns = now_ns();
    }
    (void)seen;
    testify();
    shmem_finalize();
    return 0;
}
