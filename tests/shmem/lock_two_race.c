/* thrille: n=2 */
/* Each PE holds a lock of its own: two different locks exclude nobody, whatever the order they were taken in. */
#include <shmem.h>

static long x, locks[8];

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    long *lock = &locks[me];
    shmem_set_lock(lock);
    long v = shmem_long_g(&x, 0); /* race: a */
    shmem_long_p(&x, v + 1, 0); /* race: a, b b */
    shmem_clear_lock(lock);
    shmem_finalize();
    return 0;
}
