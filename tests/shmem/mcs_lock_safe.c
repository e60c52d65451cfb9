/* thrille: n=3,4 */
/* A queue lock. */
#include <shmem.h>

static long tail, next, locked;
static double sum;

static void enter(int me)
{
    shmem_long_atomic_set(&next, 0, me);
    shmem_long_atomic_set(&locked, 1, me);
    shmem_quiet();
    long before = shmem_long_atomic_swap(&tail, me + 1, 0);
    if (before != 0) {
        shmem_long_atomic_set(&next, me + 1, (int)before - 1);
        shmem_long_wait_until(&locked, SHMEM_CMP_EQ, 0);
    }
}

static void leave(int me)
{
    shmem_quiet();
    if (shmem_long_atomic_compare_swap(&tail, me + 1, 0, 0) == me + 1)
        return;
    shmem_long_wait_until(&next, SHMEM_CMP_NE, 0);
    long after = shmem_long_atomic_fetch(&next, me);
    shmem_long_atomic_set(&locked, 0, (int)after - 1);
}

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    for (int i = 0; i < 2; i++) {
        enter(me);
        double old = shmem_double_g(&sum, 2);
        shmem_double_p(&sum, old + 0.5, 2);
        leave(me);
    }
    shmem_barrier_all();
    shmem_finalize();
    return 0;
}
