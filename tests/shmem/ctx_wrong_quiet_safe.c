/* thrille: n=2 */
/* The quiet of the put's own context completes it, and shmem_sync_all orders it before the load. */
#include <shmem.h>

static long x;
static long one = 1;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    volatile long seen = 0;
    shmem_ctx_t a, b;
    shmem_ctx_create(0, &a);
    shmem_ctx_create(0, &b);
    if (me == 0) {
        shmem_ctx_long_put(a, &x, &one, 1, 1);
        shmem_ctx_quiet(a);
    }
    shmem_sync_all();
    if (me == 1)
        seen = x;
    shmem_ctx_destroy(a);
    shmem_ctx_destroy(b);
    (void)seen;
    shmem_finalize();
    return 0;
}
