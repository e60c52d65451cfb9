/* thrille: n=2 */
/* shmem_quiet forces the completion of the non-fetching atomic before the synchronisation and the plain load. */
#include <shmem.h>

static long x;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    volatile long seen = 0;
    if (me == 0) {
        shmem_long_atomic_add(&x, 5, 1);
        shmem_quiet();
    }
    shmem_sync_all();
    if (me == 1)
        seen = x;
    (void)seen;
    shmem_finalize();
    return 0;
}
