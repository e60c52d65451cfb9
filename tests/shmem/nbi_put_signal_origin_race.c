/* thrille: n=2 */
/* A nonblocking put with signal returns after posting: its source may be read until quiet, so that the store
   races. */
#include <shmem.h>
#include <stdint.h>

static long x;
static long from = 1;
static uint64_t sig;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    volatile long seen = 0;
    if (me == 0) {
        shmem_long_put_signal_nbi(&x, &from, 1, &sig, 1, SHMEM_SIGNAL_SET, 1); /* race: a */
        from = 2; /* race: a */
    }
    if (me == 1) {
        shmem_signal_wait_until(&sig, SHMEM_CMP_EQ, 1);
        seen = x;
    }
    (void)seen;
    shmem_finalize();
    return 0;
}
