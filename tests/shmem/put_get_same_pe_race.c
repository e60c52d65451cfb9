/* thrille: n=2 */
/* A put need not have arrived when it returns, so that a get by the same PE of the same word may see the old
   value. */
#include <shmem.h>

static long x;
static long one = 1;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    long y;
    if (me == 0) {
        shmem_long_put(&x, &one, 1, 1); /* race: a */
        shmem_long_get(&y, &x, 1, 1); /* race: a */
    }
    shmem_finalize();
    return 0;
}
