/* thrille: n=2 */
/* A quiet of SHMEM_CTX_INVALID does nothing (shmem_quiet: "no operation is performed"). */
#include <shmem.h>

static long x, one = 1;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    volatile long seen = 0;
    if (me == 0) {
        shmem_long_put(&x, &one, 1, 1); /* race: a */
        shmem_ctx_quiet(SHMEM_CTX_INVALID);
    }
    shmem_sync_all();
    if (me == 1)
        seen = x; /* race: a */
    (void)seen;
    shmem_finalize();
    return 0;
}
