/* thrille: n=2 */
/* The result of a nonblocking fetching atomic is there only after shmem_quiet: the load of it comes too early. */
#include <shmem.h>

static long x;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    volatile long seen = 0;
    long old = 0;
    if (me == 0) {
        shmem_long_atomic_fetch_add_nbi(&old, &x, 5, 1); /* race: a */
        seen = old; /* race: a */
        shmem_quiet();
    }
    (void)seen;
    shmem_finalize();
    return 0;
}
