/* thrille: n=2 */
/* shmem_quiet completes the put to the own PE before the load. */
#include <shmem.h>

static long x;
static long one = 1;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    volatile long seen = 0;
    shmem_long_put(&x, &one, 1, me);
    shmem_quiet();
    seen = x;
    (void)seen;
    shmem_finalize();
    return 0;
}
