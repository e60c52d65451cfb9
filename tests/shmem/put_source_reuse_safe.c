/* thrille: n=2 */
/* A blocking put returns after the data is copied out of the source, which may then be overwritten at once. */
#include <shmem.h>

static long x;
static long from = 1;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    if (me == 0) {
        shmem_long_put(&x, &from, 1, 1);
        from = 2;
    }
    shmem_finalize();
    return 0;
}
