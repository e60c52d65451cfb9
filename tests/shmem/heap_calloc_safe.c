/* thrille: n=2 */
/* The block comes cleared, and shmem_calloc ends with a barrier: PE 0 may put to it at once. */
#include <shmem.h>

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    volatile long seen = 0;
    long *x = shmem_calloc(4, sizeof *x);
    if (me == 0)
        shmem_long_p(&x[1], 1, 1);
    shmem_barrier_all();
    seen = x[1];
    shmem_free(x);
    (void)seen;
    shmem_finalize();
    return 0;
}
