/* thrille: n=3 */
/* PE 1 writes the even and PE 2 the odd elements: the intervals interleave and no byte is in common. */
#include <shmem.h>

static long x[32];
static long from[8];

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    if (me > 0)
        shmem_long_iput(&x[me - 1], from, 2, 1, 8, 0);
    shmem_finalize();
    return 0;
}
