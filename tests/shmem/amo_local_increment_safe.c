/* thrille: n=2 */
/* Both PEs use the atomic routine, PE 1 on its own word too. */
#include <shmem.h>

static long x;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    if (me == 0)
        shmem_long_atomic_inc(&x, 1);
    if (me == 1)
        shmem_long_atomic_inc(&x, 1);
    shmem_finalize();
    return 0;
}
