/* thrille: n=2 */
/* The flag may be delivered before the data, as no fence stands between them. */
#include <shmem.h>

static long x, flag;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    volatile long seen = 0;
    if (me == 0) {
        shmem_long_p(&x, 1, 1); /* race: a */
        shmem_long_atomic_set(&flag, 1, 1);
    }
    if (me == 1) {
        while (!shmem_long_test(&flag, SHMEM_CMP_EQ, 1))
            ;
        seen = x; /* race: a */
    }
    (void)seen;
    shmem_finalize();
    return 0;
}
