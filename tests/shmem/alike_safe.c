/* thrille: n=3 flags=-O2 */
/* The same branches, cases and functions, each at a place of its own. */
#include <shmem.h>

static long x[8], one = 1;
static volatile long seen;

static void __attribute__((noinline)) left(void)
{
    seen = shmem_long_g(&x[2], 1);
    shmem_quiet();
}

static void __attribute__((noinline)) right(void)
{
    seen = shmem_long_g(&x[1], 1);
    shmem_quiet();
}

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    shmem_barrier_all();
    if (me == 0)
        shmem_long_put(&x[0], &one, 1, 1);
    else if (me == 2)
        shmem_long_put(&x[7], &one, 1, 1);
    switch (me) {
    case 0:
        left();
        break;
    case 1:
        x[6] = 1;
        shmem_long_put(&x[4], &one, 1, 0);
        shmem_long_put(&x[5], &one, 1, 2);
        break;
    case 2:
        right();
        break;
    }
    if (me == 0)
        seen = x[3];
    else
        seen = x[3];
    if (me == 0)
        x[3] = 5;
    else if (me == 2)
        x[3] = 7;
    else
        x[3] = 9;
    shmem_barrier_all();
    shmem_finalize();
    return 0;
}
