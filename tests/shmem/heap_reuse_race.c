/* thrille: n=2 */
/* After the block is allocated anew PE 0 puts to it while PE 1 stores to it. */
#include <shmem.h>

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    long *x = shmem_malloc(8 * sizeof *x);
    if (me == 0)
        shmem_long_p(x, 1, 1);
    shmem_free(x);
    long *y = shmem_malloc(8 * sizeof *y);
    if (me == 0)
        shmem_long_p(y, 1, 1); /* race: a */
    if (me == 1)
        *y = 2; /* race: a */
    shmem_free(y);
    shmem_finalize();
    return 0;
}
