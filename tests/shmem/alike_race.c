/* thrille: n=3 flags=-O2 */
/* PEs 0 and 2 do the same to PE 1 by lines of their own, and each has a load and a store of its own that meets a put: what two branches,
   two cases and two functions do alike has two lines, also in an optimised program. */
#include <shmem.h>

static long x[8], one = 1;
static volatile long seen;

static void __attribute__((noinline)) left(void)
{
    seen = shmem_long_g(&x[2], 1); /* race: a */
    shmem_quiet();
}

static void __attribute__((noinline)) right(void)
{
    seen = shmem_long_g(&x[2], 1); /* race: b */
    shmem_quiet();
}

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    shmem_barrier_all();
    if (me == 0)
        shmem_long_put(&x[0], &one, 1, 1); /* race: c */
    else if (me == 2)
        shmem_long_put(&x[0], &one, 1, 1); /* race: c */
    switch (me) {
    case 0:
        left();
        break;
    case 1:
        x[2] = 1; /* race: a, b */
        shmem_long_put(&x[3], &one, 1, 0); /* race: d, f */
        shmem_long_put(&x[3], &one, 1, 2); /* race: e, g */
        break;
    case 2:
        right();
        break;
    }
    if (me == 0)
        seen = x[3]; /* race: d */
    else
        seen = x[3]; /* race: e */
    if (me == 0)
        x[3] = 5; /* race: f */
    else if (me == 2)
        x[3] = 7; /* race: g */
    else
        x[3] = 9;
    shmem_barrier_all();
    shmem_finalize();
    return 0;
}
