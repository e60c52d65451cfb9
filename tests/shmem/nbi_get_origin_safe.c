/* thrille: n=2 */
/* shmem_quiet completes the nonblocking get before its destination is loaded. */
#include <shmem.h>

static long x[4];

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    volatile long seen = 0;
    long to[4] = {0, 0, 0, 0};
    if (me == 0) {
        shmem_long_get_nbi(to, x, 4, 1);
        shmem_quiet();
        seen = to[2];
        shmem_quiet();
    }
    (void)seen;
    shmem_finalize();
    return 0;
}
