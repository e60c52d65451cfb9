/* thrille: n=2 */
/* shmem_put_nbi is complete only after a quiet of its context: shmem_sync_all leaves it under way. */
#include <shmem.h>

static long x;
static long one = 1;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    volatile long seen = 0;
    if (me == 0) {
        shmem_long_put_nbi(&x, &one, 1, 1); /* race: a */
    }
    shmem_sync_all();
    if (me == 1)
        seen = x; /* race: a */
    (void)seen;
    shmem_finalize();
    return 0;
}
