/* thrille: n=2 */
/* The producer does not wait until a slot has been read: it may be two items ahead, in whatever run. */
#include <shmem.h>
#include <stdint.h>

#define ITEMS 8

static long slot[2];
static uint64_t ready, taken;

int main(void)
{
    shmem_init();
    volatile long seen = 0;
    if (shmem_my_pe() == 0) {
        for (uint64_t i = 0; i < ITEMS; i++) {
            long item = (long)i;
            shmem_long_put_signal(&slot[i % 2], &item, 1, &ready, i + 1, SHMEM_SIGNAL_SET, 1); /* race: a */
            shmem_quiet();
        }
    } else if (shmem_my_pe() == 1) {
        for (uint64_t i = 0; i < ITEMS; i++) {
            shmem_signal_wait_until(&ready, SHMEM_CMP_GE, i + 1);
            seen += slot[i % 2]; /* race: a */
            shmem_uint64_atomic_inc(&taken, 0);
        }
    }
    (void)seen;
    shmem_finalize();
    return 0;
}
