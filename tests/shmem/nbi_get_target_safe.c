/* thrille: n=2 */
/* shmem_quiet completes the nonblocking get before shmem_sync_all lets PE 1 store to the word. */
#include <shmem.h>

static long x;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    long to;
    if (me == 0) {
        shmem_long_get_nbi(&to, &x, 1, 1);
        shmem_quiet();
    }
    shmem_sync_all();
    if (me == 1)
        x = 2;
    shmem_quiet();
    shmem_finalize();
    return 0;
}
