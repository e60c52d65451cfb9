/* thrille: n=2 */
/* A put and a load of the same word by the target PE, with nothing between them: nothing orders the delivery with
   the load. */
#include <shmem.h>

static long x;
static long one = 1;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    volatile long seen = 0;
    if (me == 0)
        shmem_long_put(&x, &one, 1, 1); /* race: a */
    if (me == 1)
        seen = x; /* race: a */
    (void)seen;
    shmem_finalize();
    return 0;
}
