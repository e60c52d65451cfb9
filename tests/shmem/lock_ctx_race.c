/* thrille: n=2 */
/* shmem_clear_lock quiets the default context: the put on another context may still be under way when the lock is
   free. */
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
        shmem_ctx_long_put(ctx, &x, &one, 1, 0); /* race: a */
        shmem_clear_lock(&lock);
    }
    if (me == 0) {
        shmem_set_lock(&lock);
        seen = x; /* race: a */
        shmem_clear_lock(&lock);
    }
    shmem_ctx_destroy(ctx);
    (void)seen;
    shmem_finalize();
    return 0;
}
