/* thrille: n=2 */
/* The context is quieted before the lock is released. */
#include <shmem.h>

static long x, lock;
static long one = 1;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    volatile long seen = 0;
    shmem_ctx_t ctx;
    shmem_ctx_create(0, &ctx);
    if (me == 1) {
        shmem_set_lock(&lock);
        shmem_ctx_long_put(ctx, &x, &one, 1, 0);
        shmem_ctx_quiet(ctx);
        shmem_clear_lock(&lock);
    }
    if (me == 0) {
        shmem_set_lock(&lock);
        seen = x;
        shmem_clear_lock(&lock);
    }
    shmem_ctx_destroy(ctx);
    (void)seen;
    shmem_finalize();
    return 0;
}
