/* thrille: n=3 */
/* A ticket lock given back before what it protects is complete. */
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
    shmem_long_atomic_inc(&serving, 0);
}

int main(void)
{
    shmem_init();
    for (int i = 0; i < 3; i++) {
        enter();
        long old = shmem_long_g(&total, 1); /* race: a */
        shmem_long_p(&total, old + 1, 1); /* race: a, b b */
        leave();
    }
    shmem_barrier_all();
    shmem_finalize();
    return 0;
}
