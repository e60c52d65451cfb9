/* thrille: n=2 */
/* shmem_free is a barrier that completes the put: the store to a new block, perhaps at the same place, comes after
   it. */
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
    if (me == 1)
        *y = 2;
    shmem_free(y);
    shmem_finalize();
    return 0;
}
