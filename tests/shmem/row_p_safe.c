/* thrille: n=2 */
/* shmem_quiet completes the shmem_p, so that shmem_sync_all orders it before the load. */
#include <shmem.h>

static long x;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    volatile long seen = 0;
    if (me == 0) {
        shmem_long_p(&x, 1, 1);
        shmem_quiet();
    }
    shmem_sync_all();
    if (me == 1)
        seen = x;
    (void)seen;
    shmem_finalize();
    return 0;
}
