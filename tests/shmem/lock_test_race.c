/* thrille: n=2 */
/* shmem_test_lock returned 1, the lock is held by PE 0, and PE 1 goes on all the same. */
#include <shmem.h>

static long x, lock;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    if (me == 0)
        shmem_set_lock(&lock);
    shmem_sync_all();
    if (me == 0) {
        x = 1; /* race: a */
    }
    if (me == 1) {
        if (shmem_test_lock(&lock) == 1)
            shmem_long_p(&x, 2, 0); /* race: a */
    }
    shmem_sync_all();
    if (me == 0)
        shmem_clear_lock(&lock);
    shmem_finalize();
    return 0;
}
