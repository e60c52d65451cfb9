/* thrille: n=2 */
/* The context is destroyed, and so quieted, only after the synchronisation that lets PE 1 load. */
#include <shmem.h>

static long x;
static long one = 1;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    volatile long seen = 0;
    shmem_ctx_t ctx;
    shmem_ctx_create(0, &ctx);
    if (me == 0)
        shmem_ctx_long_put(ctx, &x, &one, 1, 1); /* race: a */
    shmem_sync_all();
    if (me == 1)
        seen = x; /* race: a */
    shmem_ctx_destroy(ctx);
    (void)seen;
    shmem_finalize();
    return 0;
}
