/* thrille: n=3,4 */
/* All other PEs put to the same word of PE 0: puts of different PEs are not ordered with each other. */
#include <shmem.h>

static long x[8];
static long one = 1;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    if (me > 0)
        shmem_long_put(&x[0], &one, 1, 0); /* race: a a */
    shmem_finalize();
    return 0;
}
