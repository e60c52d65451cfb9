/* The same with a flag that is stored through shmem_ptr: a fence orders stores behind puts, too. */
#include "witness.h"
#include <sched.h>

static long one = 1;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    long *x = shmem_calloc(2, sizeof(long));
    volatile long *flag = x + 1, *theirs = shmem_ptr(x + 1, 1);
    if (!theirs)
        shmem_global_exit(2);
    volatile long seen = 0;
    begin_ns = now_ns();
    if (me == 0) {
        shmem_long_put(x, &one, 1, 1); /* data */
        shmem_fence();
        end_ns = now_ns();
        *theirs = 1;
    }
    if (me == 1) {
        while (*flag == 0)
            sched_yield();
        begin_ns = now_ns();
        seen = *x; /* data */
        end_ns = now_ns();
    }
    (void)seen;
    testify();
    shmem_free(x);
    shmem_finalize();
    return 0;
}
