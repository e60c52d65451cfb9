/* thrille: n=2 */
/* The signal of a put with signal does not imply the delivery of the put before it. */
#include <shmem.h>
#include <stdint.h>

static long x, y;
static long one = 1;
static uint64_t sig;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    volatile long seen = 0;
    if (me == 0) {
        shmem_long_put(&x, &one, 1, 1); /* race: a */
        shmem_long_put_signal(&y, &one, 1, &sig, 1, SHMEM_SIGNAL_SET, 1);
    }
    if (me == 1) {
        shmem_signal_wait_until(&sig, SHMEM_CMP_EQ, 1);
        seen = x + y; /* race: a */
    }
    (void)seen;
    shmem_finalize();
    return 0;
}
