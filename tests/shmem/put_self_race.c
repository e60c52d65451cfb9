/* thrille: n=2 */
/* A put to the own PE is a put: it returns when the source is copied out, and its delivery needs a quiet before
   the load. */
#include <shmem.h>

static long x;
static long one = 1;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    volatile long seen = 0;
    shmem_long_put(&x, &one, 1, me); /* race: a */
    seen = x; /* race: a */
    (void)seen;
    shmem_finalize();
    return 0;
}
