/* thrille: n=2 */
/* PE 1 computes for long before it loads: the put of PE 0 is long delivered by then, and still nothing orders the
   two. */
#include <shmem.h>

static long x;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    volatile long seen = 0;
    if (me == 0)
        shmem_long_p(&x, 1, 1); /* race: a */
    if (me == 1) {
        for (volatile long work = 0; work < 3000000; work++)
            ;
        seen = x; /* race: a */
    }
    (void)seen;
    shmem_finalize();
    return 0;
}
