/* thrille: n=2 */
/* A put followed by an atomic set of the flag, without a fence: unlike put_signal nothing ties the flag to the
   data. */
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
        shmem_long_put(&x, &one, 1, 1); /* race: a */
        shmem_uint64_atomic_set(&sig, 1, 1);
    }
    if (me == 1) {
        shmem_uint64_wait_until(&sig, SHMEM_CMP_EQ, 1);
        seen = x; /* race: a */
    }
    (void)seen;
    shmem_finalize();
    return 0;
}
