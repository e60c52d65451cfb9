/* thrille: n=3 */
/* An atomic increment and an atomic set of the same type on the same word are exclusive, in whatever order. */
#include <shmem.h>

static long x;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    if (me == 0)
        shmem_long_atomic_inc(&x, 2);
    if (me == 1)
        shmem_long_atomic_set(&x, 5, 2);
    shmem_finalize();
    return 0;
}
