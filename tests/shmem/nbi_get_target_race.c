/* thrille: n=2 */
/* A nonblocking get may read PE 1's word until shmem_quiet, and shmem_sync_all does not complete it: the store
   races. */
#include <shmem.h>

static long x;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    long to;
    if (me == 0) {
        shmem_long_get_nbi(&to, &x, 1, 1); /* race: a */
    }
    shmem_sync_all();
    if (me == 1)
        x = 2; /* race: a */
    shmem_quiet();
    shmem_finalize();
    return 0;
}
