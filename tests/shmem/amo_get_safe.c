/* thrille: n=3 */
/* An atomic fetch and an atomic increment of the same type are exclusive. */
#include <shmem.h>

static unsigned int x;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    volatile long seen = 0;
    if (me == 0)
        shmem_uint_atomic_inc(&x, 2);
    if (me == 1)
        seen = shmem_uint_atomic_fetch(&x, 2);
    (void)seen;
    shmem_finalize();
    return 0;
}
