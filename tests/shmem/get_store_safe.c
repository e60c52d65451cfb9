/* thrille: n=2 */
/* A blocking get is complete at return, so that shmem_sync_all orders it before the store without any quiet. */
#include <shmem.h>

static long x;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    long y;
    if (me == 0)
        shmem_long_get(&y, &x, 1, 1);
    shmem_sync_all();
    if (me == 1)
        x = 2;
    shmem_finalize();
    return 0;
}
