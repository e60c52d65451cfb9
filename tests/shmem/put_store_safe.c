/* thrille: n=2 */
/* The barrier completes the put before the target PE stores to the word. */
#include <shmem.h>

static long x;
static long one = 1;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    if (me == 0)
        shmem_long_put(&x, &one, 1, 1);
    shmem_barrier_all();
    if (me == 1)
        x = 2;
    shmem_finalize();
    return 0;
}
