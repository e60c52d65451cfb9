/* thrille: n=3 */
/* A ticket lock. */
#include <shmem.h>

static long next, serving, total;

static void enter(void)
{
    long mine = shmem_long_atomic_fetch_inc(&next, 0);
    while (shmem_long_atomic_fetch(&serving, 0) != mine)
        ;
}

static void leave(void)
{
    shmem_quiet();
    shmem_long_atomic_inc(&serving, 0);
}

int main(void)
{
    shmem_init();
    for (int i = 0; i < 3; i++) {
        enter();
        long old = shmem_long_g(&total, 1);
        shmem_long_p(&total, old + 1, 1);
        leave();
    }
    shmem_barrier_all();
    shmem_finalize();
    return 0;
}
