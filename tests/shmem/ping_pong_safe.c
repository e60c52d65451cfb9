/* thrille: n=2 */
/* Signal seen and acknowledged: the first put has arrived and was read before the second is issued. */
#include <shmem.h>
#include <stdint.h>

static long x, ack;
static long one = 1;
static uint64_t sig;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    volatile long seen = 0;
    if (me == 0) {
        shmem_long_put_signal(&x, &one, 1, &sig, 1, SHMEM_SIGNAL_SET, 1);
        shmem_long_wait_until(&ack, SHMEM_CMP_EQ, 1);
        shmem_long_p(&x, 2, 1);
    }
    if (me == 1) {
        shmem_signal_wait_until(&sig, SHMEM_CMP_EQ, 1);
        seen = x;
        shmem_quiet();
        shmem_long_atomic_set(&ack, 1, 0);
    }
    (void)seen;
    shmem_finalize();
    return 0;
}
