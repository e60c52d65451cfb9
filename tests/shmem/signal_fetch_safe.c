/* thrille: n=2 */
/* The signal belongs to x: when shmem_signal_fetch returns it, the data of its own put has arrived. */
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
        shmem_long_put(&y, &one, 1, 1);
        shmem_long_put_signal(&x, &one, 1, &sig, 1, SHMEM_SIGNAL_SET, 1);
    }
    if (me == 1) {
        while (shmem_signal_fetch(&sig) != 1)
            ;
        seen = x;
    }
    (void)seen;
    shmem_finalize();
    return 0;
}
