/* thrille: n=2 */
/* Both sides hold the lock; shmem_clear_lock completes the update before the lock is free. */
#include <shmem.h>

static long x, lock;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    volatile long seen = 0;
    if (me == 0) {
        shmem_set_lock(&lock);
        shmem_long_p(&x, 1, 1);
        shmem_clear_lock(&lock);
    }
    if (me == 1) {
        shmem_set_lock(&lock);
        seen = x;
        shmem_clear_lock(&lock);
    }
    (void)seen;
    shmem_finalize();
    return 0;
}
