/* thrille: n=2,4 */
/* The barrier completes the put to the symmetric heap before the load. */
#include <shmem.h>

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    volatile long seen = 0;
    long *x = shmem_malloc(16 * sizeof *x);
    if (me == 0)
        shmem_long_p(&x[5], 1, 1);
    shmem_barrier_all();
    if (me == 1)
        seen = x[5];
    shmem_free(x);
    (void)seen;
    shmem_finalize();
    return 0;
}
