/* thrille: n=2 */
/* Both PEs hold the same lock around the update. */
#include <shmem.h>

static long x, locks[2];

int main(void)
{
    shmem_init();
    long *lock = &locks[0];
    shmem_set_lock(lock);
    long v = shmem_long_g(&x, 0);
    shmem_long_p(&x, v + 1, 0);
    shmem_clear_lock(lock);
    shmem_finalize();
    return 0;
}
