/* thrille: n=2 */
/* Data, fence and flag on one private context. */
#include <shmem.h>

static long data, flag;

int main(void)
{
    shmem_init();
    shmem_ctx_t a, b;
    if (shmem_ctx_create(SHMEM_CTX_PRIVATE, &a) != 0 || shmem_ctx_create(SHMEM_CTX_PRIVATE, &b) != 0)
        return 1;
    volatile long seen = 0;
    if (shmem_my_pe() == 0) {
        shmem_ctx_long_p(b, &data, 7, 1);
        shmem_ctx_fence(b);
        shmem_ctx_long_p(b, &flag, 1, 1);
    } else {
        shmem_long_wait_until(&flag, SHMEM_CMP_EQ, 1);
        seen = data;
    }
    (void)seen;
    shmem_ctx_destroy(a);
    shmem_ctx_destroy(b);
    shmem_barrier_all();
    shmem_finalize();
    return 0;
}
