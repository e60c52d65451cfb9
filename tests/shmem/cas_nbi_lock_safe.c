/* thrille: n=2,3 */
/* A lock taken by a nonblocking compare-and-swap whose result is looked at after the quiet. */
#include <shmem.h>

static long lock, sum;

static void take(void)
{
    long old = 1;
    do {
        shmem_long_atomic_compare_swap_nbi(&old, &lock, 0, 1, 0);
        shmem_quiet();
    } while (old != 0);
}

static void give(void)
{
    shmem_quiet();
    shmem_long_atomic_set(&lock, 0, 0);
    shmem_quiet();
}

int main(void)
{
    shmem_init();
    for (int i = 0; i < 3; i++) {
        take();
        long old = shmem_long_g(&sum, 0);
        shmem_long_p(&sum, old + 1, 0);
        give();
    }
    shmem_barrier_all();
    shmem_finalize();
    return 0;
}
