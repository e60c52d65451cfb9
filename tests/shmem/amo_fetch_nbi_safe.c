/* thrille: n=2 */
/* shmem_quiet completes the nonblocking fetching atomic before its result is loaded. */
#include <shmem.h>

static long x;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    volatile long seen = 0;
    long old = 0;
    if (me == 0) {
        shmem_long_atomic_fetch_add_nbi(&old, &x, 5, 1);
        shmem_quiet();
        seen = old;
        shmem_quiet();
    }
    (void)seen;
    shmem_finalize();
    return 0;
}
