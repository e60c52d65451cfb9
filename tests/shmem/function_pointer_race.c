/* thrille: n=2 */
/* The put is called through a table of functions; it is a put like any other and races with the load. */
#include <shmem.h>

static long x;
static void (*const by[2])(long *, long, int) = {shmem_long_p, shmem_long_atomic_set};

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    volatile long seen = 0;
    if (me == 0)
        by[0](&x, 1, 1); /* race: a */
    if (me == 1)
        seen = x; /* race: a */
    (void)seen;
    shmem_finalize();
    return 0;
}
