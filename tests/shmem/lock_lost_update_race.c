/* thrille: n=3 */
/* The second section is under no lock. */
#include <shmem.h>

static long lock, total;

int main(void)
{
    shmem_init();
    shmem_set_lock(&lock);
    long old = shmem_long_g(&total, 1); /* race: a */
    shmem_clear_lock(&lock);
    shmem_long_p(&total, old + 1, 1); /* race: a, b b */
    shmem_quiet();
    shmem_barrier_all();
    shmem_finalize();
    return 0;
}
