/* thrille: n=3 */
/* Two PEs fill the two halves of an array of PE 0, but the second starts one element too early. */
#include <shmem.h>

static long x[1024];
static long from[512];

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    if (me > 0)
        shmem_long_put(&x[(me - 1) * 511], from, 512, 0); /* race: a a */
    shmem_finalize();
    return 0;
}
