/* thrille: n=2 */
/* The destination of a nonblocking get may be written until shmem_quiet: the load comes too early. */
#include <shmem.h>

static long x[4];

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    volatile long seen = 0;
    long to[4] = {0, 0, 0, 0};
    if (me == 0) {
        shmem_long_get_nbi(to, x, 4, 1); /* race: a */
        seen = to[2]; /* race: a */
        shmem_quiet();
    }
    (void)seen;
    shmem_finalize();
    return 0;
}
