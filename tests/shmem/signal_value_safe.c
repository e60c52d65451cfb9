/* thrille: n=2 */
/* As many items are read as the wait says that signals have come. */
#include <shmem.h>
#include <stdint.h>

#define ITEMS 8

static long slot[ITEMS];
static uint64_t sig;

int main(void)
{
    shmem_init();
    volatile long seen = 0;
    if (shmem_my_pe() == 0) {
        for (long i = 0; i < ITEMS; i++)
            shmem_long_put_signal(&slot[i], &i, 1, &sig, 1, SHMEM_SIGNAL_ADD, 1);
    } else if (shmem_my_pe() == 1) {
        uint64_t there = shmem_signal_wait_until(&sig, SHMEM_CMP_GE, 1);
        for (uint64_t i = 0; i < there; i++)
            seen += slot[i];
    }
    (void)seen;
    shmem_finalize();
    return 0;
}
