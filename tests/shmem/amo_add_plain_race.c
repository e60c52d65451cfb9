/* thrille: n=2 */
/* A non-fetching atomic may return before it executes on the target PE: shmem_sync_all does not order it before
   the plain load. */
#include <shmem.h>

static long x;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    volatile long seen = 0;
    if (me == 0) {
        shmem_long_atomic_add(&x, 5, 1); /* race: a */
    }
    shmem_sync_all();
    if (me == 1)
        seen = x; /* race: a */
    (void)seen;
    shmem_finalize();
    return 0;
}
