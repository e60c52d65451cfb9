/* thrille: n=2 */
/* The quiet of another context does not complete the put: a context is an independent completion environment. */
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
        shmem_ctx_long_put(a, &x, &one, 1, 1); /* race: a */
        shmem_ctx_quiet(b);
    }
    shmem_sync_all();
    if (me == 1)
        seen = x; /* race: a */
    shmem_ctx_destroy(a);
    shmem_ctx_destroy(b);
    (void)seen;
    shmem_finalize();
    return 0;
}
