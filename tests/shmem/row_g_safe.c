/* thrille: n=2 */
/* shmem_g is complete at return, so that shmem_sync_all orders it before the store. */
#include <shmem.h>

static double x;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    volatile long seen = 0;
    if (me == 0)
        seen = (long)shmem_double_g(&x, 1);
    shmem_sync_all();
    if (me == 1)
        x = 2.5;
    (void)seen;
    shmem_finalize();
    return 0;
}
