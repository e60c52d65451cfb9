/* thrille: n=2 */
/* shmem_barrier_all completes the put and orders it before the load of the target PE. */
#include <shmem.h>

static long x;
static long one = 1;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    volatile long seen = 0;
    if (me == 0)
        shmem_long_put(&x, &one, 1, 1);
    shmem_barrier_all();
    if (me == 1)
        seen = x;
    (void)seen;
    shmem_finalize();
    return 0;
}
