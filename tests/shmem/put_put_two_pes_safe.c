/* thrille: n=3,4 */
/* All other PEs put to PE 0, each to a word of its own. */
#include <shmem.h>

static long x[8];
static long one = 1;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    if (me > 0)
        shmem_long_put(&x[me], &one, 1, 0);
    shmem_finalize();
    return 0;
}
