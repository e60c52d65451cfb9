/* thrille: n=3 */
/* The barrier completes the put of PE 0 before PE 2 loads PE 1's word through shmem_ptr. */
#include <shmem.h>

static long x;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    volatile long seen = 0;
    const long *theirs = shmem_ptr(&x, 1);
    if (me == 0)
        shmem_long_p(&x, 1, 1);
    shmem_barrier_all();
    if (me == 2 && theirs)
        seen = *theirs;
    (void)seen;
    shmem_finalize();
    return 0;
}
