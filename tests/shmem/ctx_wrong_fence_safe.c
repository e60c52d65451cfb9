/* thrille: n=2 */
/* shmem_ctx_fence orders the delivery of data and flag, both on its context and to one PE. */
#include <shmem.h>

static long x, flag;
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
        shmem_ctx_fence(ctx);
        shmem_ctx_long_atomic_set(ctx, &flag, 1, 1);
    }
    if (me == 1) {
        shmem_long_wait_until(&flag, SHMEM_CMP_EQ, 1);
        seen = x;
    }
    shmem_ctx_destroy(ctx);
    (void)seen;
    shmem_finalize();
    return 0;
}
