/* thrille: n=2 */
/* The get stands after shmem_clear_lock: it is no longer protected. */
#include <shmem.h>

static long x, lock;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    volatile long seen = 0;
    shmem_set_lock(&lock);
    if (me == 0)
        x = 1; /* race: a */
    if (me == 1) {
        shmem_clear_lock(&lock);
        seen = shmem_long_g(&x, 0); /* race: a */
        shmem_set_lock(&lock);
    }
    shmem_clear_lock(&lock);
    (void)seen;
    shmem_finalize();
    return 0;
}
