/* thrille: n=3 */
/* The wait is given one flag only: the data of PE 2 is read without having waited for its flag. */
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
        shmem_long_wait_until_all(flags, 1, NULL, SHMEM_CMP_EQ, 1);
        seen = x[0];
        seen = x[1]; /* race: a */
    }
    (void)seen;
    shmem_finalize();
    return 0;
}
