/* thrille: n=2 */
/* A put to the part that shmem_realloc added races with the load of its target PE. */
#include <shmem.h>

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    volatile long seen = 0;
    long *x = shmem_malloc(2 * sizeof *x);
    x[0] = me;
    x = shmem_realloc(x, 1000 * sizeof *x);
    if (me == 0)
        shmem_long_p(&x[900], 1, 1); /* race: a */
    if (me == 1)
        seen = x[0] + x[900]; /* race: a */
    shmem_free(x);
    (void)seen;
    shmem_finalize();
    return 0;
}
