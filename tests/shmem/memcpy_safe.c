/* thrille: n=2 */
/* shmem_sync_all orders the memcpy of PE 1 before the get of PE 0. */
#include <shmem.h>
#include <string.h>

static long x[64];

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    long all[64] = {0};
    if (me == 1)
        memcpy(x, all, sizeof x);
    shmem_sync_all();
    if (me == 0)
        shmem_long_get(all, x, 64, 1);
    shmem_finalize();
    return 0;
}
