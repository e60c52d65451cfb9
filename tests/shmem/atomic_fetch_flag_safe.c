/* thrille: n=2 */
/* Data, quiet, atomic set: an atomic fetch that saw the value comes after the data. */
#include <shmem.h>

static long x, flag;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    volatile long seen = 0;
    if (me == 0) {
        shmem_long_p(&x, 1, 1);
        shmem_quiet();
        shmem_long_atomic_set(&flag, 1, 1);
    }
    if (me == 1) {
        while (shmem_long_atomic_fetch(&flag, 1) == 0)
            ;
        seen = x;
    }
    (void)seen;
    shmem_finalize();
    return 0;
}
