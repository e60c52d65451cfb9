/* thrille: n=3 */
/* Both PEs add 1 to the signal with their part: at 2 both parts have arrived. */
#include <shmem.h>
#include <stdint.h>

static long x[3];
static long one = 1;
static uint64_t sig;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    volatile long seen = 0;
    if (me == 1)
        shmem_long_put_signal(&x[1], &one, 1, &sig, 1, SHMEM_SIGNAL_ADD, 0);
    if (me == 2)
        shmem_long_put_signal(&x[2], &one, 1, &sig, 1, SHMEM_SIGNAL_ADD, 0);
    if (me == 0) {
        shmem_signal_wait_until(&sig, SHMEM_CMP_EQ, 2);
        seen = x[1];
        seen = x[2];
    }
    (void)seen;
    shmem_finalize();
    return 0;
}
