/* thrille: n=2,4 */
/* The lock is released while the update is still under way, so that the next holder may read and write before it
   arrives. */
#include <shmem.h>

static long x, lock;

int main(void)
{
    shmem_init();
    while (shmem_long_atomic_compare_swap(&lock, 0, 1, 0) != 0)
        ;
    long v = shmem_long_g(&x, 0); /* race: a */
    shmem_long_p(&x, v + 1, 0); /* race: a, b b */
    shmem_long_atomic_set(&lock, 0, 0);
    shmem_finalize();
    return 0;
}
