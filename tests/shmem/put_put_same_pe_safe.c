/* thrille: n=2 */
/* shmem_fence orders the delivery of the two puts, which go to the same PE. */
#include <shmem.h>

static long x;
static long one = 1, two = 2;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    if (me == 0) {
        shmem_long_put(&x, &one, 1, 1);
        shmem_fence();
        shmem_long_put(&x, &two, 1, 1);
    }
    shmem_finalize();
    return 0;
}
