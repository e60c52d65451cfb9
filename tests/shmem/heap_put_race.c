/* thrille: n=2,4 */
/* The put to a block of the symmetric heap races with the load of its target PE. */
#include <shmem.h>

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    volatile long seen = 0;
    long *x = shmem_malloc(16 * sizeof *x);
    if (me == 0)
        shmem_long_p(&x[5], 1, 1); /* race: a */
    if (me == 1)
        seen = x[5]; /* race: a */
    shmem_free(x);
    (void)seen;
    shmem_finalize();
    return 0;
}
