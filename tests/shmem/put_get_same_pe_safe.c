/* thrille: n=2 */
/* shmem_quiet completes the put before the get reads the word. */
#include <shmem.h>

static long x;
static long one = 1;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    long y;
    if (me == 0) {
        shmem_long_put(&x, &one, 1, 1);
        shmem_quiet();
        shmem_long_get(&y, &x, 1, 1);
    }
    shmem_finalize();
    return 0;
}
