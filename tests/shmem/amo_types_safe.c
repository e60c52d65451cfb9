/* thrille: n=3 */
/* Atomics of the same datatype on the same location are exclusive. */
#include <shmem.h>

static long x;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    if (me == 0)
        shmem_long_atomic_add(&x, 1, 2);
    if (me == 1)
        shmem_long_atomic_add(&x, 1, 2);
    shmem_finalize();
    return 0;
}
