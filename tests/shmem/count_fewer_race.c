/* thrille: n=4 */
/* The wait is over when all but one have arrived, whoever that is, even if all had arrived by then. */
#include <shmem.h>

static long x[8], count;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe(), n = shmem_n_pes();
    volatile long seen = 0;
    if (me > 0) {
        shmem_long_p(&x[me], me, 0); /* race: a */
        shmem_quiet();
        shmem_long_atomic_inc(&count, 0);
    } else {
        shmem_long_wait_until(&count, SHMEM_CMP_GE, n - 2);
        for (int i = 1; i < n; i++)
            seen += x[i]; /* race: a */
    }
    (void)seen;
    shmem_finalize();
    return 0;
}
