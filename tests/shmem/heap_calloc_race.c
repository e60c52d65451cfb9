/* thrille: n=2 */
/* PE 1 clears its block once more after the allocation, and PE 0 may have put to it already. */
#include <shmem.h>

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    volatile long seen = 0;
    long *x = shmem_calloc(4, sizeof *x);
    if (me == 1)
        x[1] = 0; /* race: a */
    if (me == 0)
        shmem_long_p(&x[1], 1, 1); /* race: a */
    shmem_barrier_all();
    seen = x[1];
    shmem_free(x);
    (void)seen;
    shmem_finalize();
    return 0;
}
