/* thrille: n=2 */
/* Without a quiet or fence before the atomic set, an atomic fetch that saw it proves nothing about the data. */
#include <shmem.h>

static long x, flag;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    volatile long seen = 0;
    if (me == 0) {
        shmem_long_p(&x, 1, 1); /* race: a */
        shmem_long_atomic_set(&flag, 1, 1);
    }
    if (me == 1) {
        while (shmem_long_atomic_fetch(&flag, 1) == 0)
            ;
        seen = x; /* race: a */
    }
    (void)seen;
    shmem_finalize();
    return 0;
}
