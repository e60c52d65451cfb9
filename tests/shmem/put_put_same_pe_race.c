/* thrille: n=2 */
/* Two successive puts may deliver out of order unless shmem_fence is called between them: the last one need not
   win. */
#include <shmem.h>

static long x;
static long one = 1, two = 2;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    if (me == 0) {
        shmem_long_put(&x, &one, 1, 1); /* race: a */
        shmem_long_put(&x, &two, 1, 1); /* race: a */
    }
    shmem_finalize();
    return 0;
}
