/* thrille: n=2 */
/* The signal belongs to y: a put to x issued after it, without order between them, may arrive after the signal. */
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
        shmem_long_put_signal(&y, &one, 1, &sig, 1, SHMEM_SIGNAL_SET, 1);
        shmem_long_put(&x, &one, 1, 1); /* race: a */
    }
    if (me == 1) {
        while (shmem_signal_fetch(&sig) != 1)
            ;
        seen = x; /* race: a */
    }
    (void)seen;
    shmem_finalize();
    return 0;
}
