/* thrille: n=2 */
/* A put and a store of the target PE to the same word: whichever is last wins, and nothing says which. */
#include <shmem.h>

static long x;
static long one = 1;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    if (me == 0)
        shmem_long_put(&x, &one, 1, 1); /* race: a */
    if (me == 1)
        x = 2; /* race: a */
    shmem_finalize();
    return 0;
}
