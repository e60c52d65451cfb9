/* thrille: n=3 */
/* PE 1 waits for the signal of PE 0 before it signals PE 2: the chain orders the put of PE 0 before the get of PE
   2. */
#include <shmem.h>
#include <stdint.h>

static long x, flag;
static long one = 1;
static uint64_t sig;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    volatile long seen = 0;
    if (me == 0)
        shmem_long_put_signal(&x, &one, 1, &sig, 1, SHMEM_SIGNAL_SET, 1);
    if (me == 1) {
        shmem_signal_wait_until(&sig, SHMEM_CMP_EQ, 1);
        shmem_long_atomic_set(&flag, 1, 2);
    }
    if (me == 2) {
        shmem_long_wait_until(&flag, SHMEM_CMP_EQ, 1);
        seen = shmem_long_g(&x, 1);
    }
    (void)seen;
    shmem_finalize();
    return 0;
}
