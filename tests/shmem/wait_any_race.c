/* thrille: n=3 */
/* PE 0 reads the data of the other flag, not of the one whose index was returned. */
#include <shmem.h>
#include <stddef.h>

static long x[8], flags[8];

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    volatile long seen = 0;
    if (me > 0) {
        shmem_long_p(&x[me - 1], 1, 0); /* race: a */
        shmem_fence();
        shmem_long_atomic_set(&flags[me - 1], 1, 0);
    }
    if (me == 0) {
        size_t k = shmem_long_wait_until_any(flags, 2, NULL, SHMEM_CMP_EQ, 1);
        seen = x[1 - k]; /* race: a */
    }
    (void)seen;
    shmem_finalize();
    return 0;
}
