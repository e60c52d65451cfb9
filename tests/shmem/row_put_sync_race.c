/* thrille: n=2,4 */
/* shmem_sync_all does not ensure completion of remote memory updates: after it the put may still be under way. */
#include <shmem.h>

static long x[4];
static long from[4] = {1, 2, 3, 4};

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    volatile long seen = 0;
    if (me == 0)
        shmem_long_put(x, from, 4, 1); /* race: a */
    shmem_sync_all();
    if (me == 1)
        seen = x[2]; /* race: a */
    (void)seen;
    shmem_finalize();
    return 0;
}
