/* thrille: n=2 */
/* memcpy on PE 1 writes what PE 0 gets at the same time. */
#include <shmem.h>
#include <string.h>

static long x[64];

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    long all[64] = {0};
    if (me == 1)
        memcpy(x, all, sizeof x); /* race: a */
    if (me == 0)
        shmem_long_get(all, x, 64, 1); /* race: a */
    shmem_finalize();
    return 0;
}
