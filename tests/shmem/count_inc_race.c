/* thrille: n=3,4 */
/* The increment may be delivered before the data of the same PE: the count proves nothing about the data. */
#include <shmem.h>

static long x[8], count;
static long one = 1;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    volatile long seen = 0;
    int n = shmem_n_pes();
    if (me > 0) {
        shmem_long_put(&x[me], &one, 1, 0); /* race: a */
        shmem_long_atomic_inc(&count, 0);
    }
    if (me == 0) {
        shmem_long_wait_until(&count, SHMEM_CMP_EQ, n - 1);
        for (int i = 1; i < n; i++)
            seen = x[i]; /* race: a */
    }
    (void)seen;
    shmem_finalize();
    return 0;
}
