/* thrille: n=3 */
/* Read in one section of a lock, written in the next: an update may be lost, but there is no data race. */
#include <shmem.h>

static long lock, total;

int main(void)
{
    shmem_init();
    shmem_set_lock(&lock);
    long old = shmem_long_g(&total, 1);
    shmem_clear_lock(&lock);
    shmem_set_lock(&lock);
    shmem_long_p(&total, old + 1, 1);
    shmem_quiet();
    shmem_clear_lock(&lock);
    shmem_barrier_all();
    shmem_finalize();
    return 0;
}
