/* thrille: n=2 */
/* Without shmem_fence the flag may be delivered before the data, so that seeing it proves nothing about the data. */
#include <shmem.h>

static long x, flag;
static long one = 1;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    volatile long seen = 0;
    if (me == 0) {
        shmem_long_put(&x, &one, 1, 1); /* race: a */
        shmem_long_atomic_set(&flag, 1, 1);
    }
    if (me == 1) {
        shmem_long_wait_until(&flag, SHMEM_CMP_EQ, 1);
        seen = x; /* race: a */
    }
    (void)seen;
    shmem_finalize();
    return 0;
}
