/* thrille: n=2 */
/* PE 1 repeats shmem_test_lock until it returns 0, which means that it holds the lock. */
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
        x = 1;
        shmem_clear_lock(&lock);
    }
    if (me == 1) {
        while (shmem_test_lock(&lock) == 1)
            ;
        shmem_long_p(&x, 2, 0);
        shmem_clear_lock(&lock);
    }
    shmem_sync_all();
    shmem_finalize();
    return 0;
}
