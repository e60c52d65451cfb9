/* thrille: n=2 */
/* Two independent races: a put with a load of one word and a put with a store of another. */
#include <shmem.h>

static long x, y;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    volatile long seen = 0;
    if (me == 0) {
        shmem_long_p(&x, 1, 1); /* race: a */
        shmem_long_p(&y, 1, 1); /* race: b */
    }
    if (me == 1) {
        seen = x; /* race: a */
        y = 2; /* race: b */
    }
    (void)seen;
    shmem_finalize();
    return 0;
}
