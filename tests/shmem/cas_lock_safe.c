/* thrille: n=2,4 */
/* shmem_quiet completes the update before the lock is released by an atomic set, which the next compare_swap sees. */
#include <shmem.h>

static long x, lock;

int main(void)
{
    shmem_init();
    while (shmem_long_atomic_compare_swap(&lock, 0, 1, 0) != 0)
        ;
    long v = shmem_long_g(&x, 0);
    shmem_long_p(&x, v + 1, 0);
    shmem_quiet();
    shmem_long_atomic_set(&lock, 0, 0);
    shmem_finalize();
    return 0;
}
