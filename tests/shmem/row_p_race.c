/* thrille: n=2 */
/* shmem_p may return before the value has arrived, and shmem_sync_all does not complete it. */
#include <shmem.h>

static long x;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    volatile long seen = 0;
    if (me == 0) {
        shmem_long_p(&x, 1, 1); /* race: a */
    }
    shmem_sync_all();
    if (me == 1)
        seen = x; /* race: a */
    (void)seen;
    shmem_finalize();
    return 0;
}
