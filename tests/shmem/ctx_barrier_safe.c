/* thrille: n=2 */
/* shmem_ctx_quiet completes the put on its context before the barrier. */
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
    if (me == 0) {
        shmem_ctx_long_put(ctx, &x, &one, 1, 1);
        shmem_ctx_quiet(ctx);
    }
    shmem_barrier_all();
    if (me == 1)
        seen = x;
    shmem_ctx_destroy(ctx);
    (void)seen;
    shmem_finalize();
    return 0;
}
