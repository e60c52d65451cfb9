/* thrille: n=3 */
/* The strides of the two PEs meet: PE 2 starts one stride after PE 1 and so writes mostly the same elements. */
#include <shmem.h>

static long x[32];
static long from[8];

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    if (me > 0)
        shmem_long_iput(&x[2 * (me - 1)], from, 2, 1, 8, 0); /* race: a a */
    shmem_finalize();
    return 0;
}
