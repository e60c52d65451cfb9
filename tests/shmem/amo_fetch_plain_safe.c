/* thrille: n=2 */
/* A fetching atomic returns after it has executed on the target, so that shmem_sync_all orders it before the plain
   store. */
#include <shmem.h>

static long x;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    volatile long seen = 0;
    if (me == 0)
        seen = shmem_long_atomic_fetch_add(&x, 5, 1);
    shmem_sync_all();
    if (me == 1)
        x = 1;
    (void)seen;
    shmem_finalize();
    return 0;
}
