/* thrille: n=4 */
/* Flags of 4 bytes side by side: each PE sets its flag before its data is there. */
#include <shmem.h>

static int x[8];
static int flags[8];

int main(void)
{
    shmem_init();
    int me = shmem_my_pe(), n = shmem_n_pes();
    volatile int seen = 0;
    if (me > 0) {
        shmem_int_p(&x[me], me, 0); /* race: a */
        shmem_int_atomic_set(&flags[me], 1, 0);
    } else {
        for (int i = n - 1; i > 0; i--)
            shmem_int_wait_until(&flags[i], SHMEM_CMP_NE, 0);
        for (int i = 1; i < n; i++)
            seen += x[i]; /* race: a */
    }
    (void)seen;
    shmem_finalize();
    return 0;
}
