/* thrille: n=3 */
/* shmem_fence does not complete the put to PE 2: the chain over PE 1 may be faster than the data. */
#include <shmem.h>

static long x, flag;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    volatile long seen = 0;
    if (me == 0) {
        shmem_long_p(&x, 1, 2); /* race: a */
        shmem_fence();
        shmem_long_atomic_set(&flag, 1, 1);
    }
    if (me == 1) {
        shmem_long_wait_until(&flag, SHMEM_CMP_EQ, 1);
        shmem_long_atomic_set(&flag, 1, 2);
    }
    if (me == 2) {
        shmem_long_wait_until(&flag, SHMEM_CMP_EQ, 1);
        seen = x; /* race: a */
    }
    (void)seen;
    shmem_finalize();
    return 0;
}
