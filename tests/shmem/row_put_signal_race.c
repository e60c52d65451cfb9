/* thrille: n=2 */
/* shmem_sync_all does not complete a put with signal, and PE 1 does not wait for the signal before the load. */
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
    if (me == 0)
        shmem_long_put_signal(&x, &one, 1, &sig, 1, SHMEM_SIGNAL_SET, 1); /* race: a */
    shmem_sync_all();
    if (me == 1) {
        seen = x; /* race: a */
    }
    (void)seen;
    shmem_finalize();
    return 0;
}
