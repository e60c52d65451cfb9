/* thrille: n=2 */
/* PE 0 updates under the lock and PE 1 loads without it: the lock protects nothing. */
#include <shmem.h>

static long x, lock;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    volatile long seen = 0;
    if (me == 0) {
        shmem_set_lock(&lock);
        shmem_long_p(&x, 1, 1); /* race: a */
        shmem_clear_lock(&lock);
    }
    if (me == 1) {
        seen = x; /* race: a */
    }
    (void)seen;
    shmem_finalize();
    return 0;
}
