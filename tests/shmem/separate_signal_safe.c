/* thrille: n=2 */
/* shmem_put_signal updates the flag after the data has been delivered. */
#include <shmem.h>
#include <stdint.h>

static long x;
static long one = 1;
static uint64_t sig;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    volatile long seen = 0;
    if (me == 0) {
        shmem_long_put_signal(&x, &one, 1, &sig, 1, SHMEM_SIGNAL_SET, 1);
    }
    if (me == 1) {
        shmem_uint64_wait_until(&sig, SHMEM_CMP_EQ, 1);
        seen = x;
    }
    (void)seen;
    shmem_finalize();
    return 0;
}
