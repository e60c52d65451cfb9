/* thrille: n=3 */
/* Atomics of different datatypes on the same location at the same time are not exclusive with each other. */
#include <shmem.h>

static long x;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    if (me == 0)
        shmem_int_atomic_add((int *)&x, 1, 2); /* race: a */
    if (me == 1)
        shmem_long_atomic_add(&x, 1, 2); /* race: a */
    shmem_finalize();
    return 0;
}
