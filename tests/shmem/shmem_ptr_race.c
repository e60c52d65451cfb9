/* thrille: n=2 */
/* A store through the address that shmem_ptr gave is a store to PE 1's word, which PE 1 loads at the same time. */
#include <shmem.h>

static long x;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    volatile long seen = 0;
    if (me == 0) {
        long *theirs = shmem_ptr(&x, 1);
        if (theirs)
            *theirs = 1; /* race: a */
    }
    if (me == 1)
        seen = x; /* race: a */
    (void)seen;
    shmem_finalize();
    return 0;
}
