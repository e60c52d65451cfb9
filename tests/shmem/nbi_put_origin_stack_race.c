/* thrille: n=2 */
/* A nonblocking put may read its source, here an array on the stack, until shmem_quiet: the store comes too early. */
#include <shmem.h>

static long x[4];

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    volatile long seen = 0;
    long from[4] = {1, 2, 3, 4};
    if (me == 0) {
        shmem_long_put_nbi(x, from, 4, 1); /* race: a */
        from[1] = 7; /* race: a */
        shmem_quiet();
        seen = from[1];
    }
    (void)seen;
    shmem_finalize();
    return 0;
}
