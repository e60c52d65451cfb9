/* thrille: n=2 */
/* A store through shmem_ptr is a plain store, which shmem_sync_all completes and orders before the load. */
#include <shmem.h>

static long x;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    volatile long seen = 0;
    if (me == 0) {
        long *theirs = shmem_ptr(&x, 1);
        if (theirs)
            *theirs = 1;
    }
    shmem_sync_all();
    if (me == 1)
        seen = x;
    (void)seen;
    shmem_finalize();
    return 0;
}
