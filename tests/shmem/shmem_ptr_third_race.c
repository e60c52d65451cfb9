/* thrille: n=3 */
/* PE 2 loads PE 1's word through shmem_ptr while the put of PE 0 to it is under way. */
#include <shmem.h>

static long x;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    volatile long seen = 0;
    const long *theirs = shmem_ptr(&x, 1);
    if (me == 0)
        shmem_long_p(&x, 1, 1); /* race: a */
    if (me == 2 && theirs)
        seen = *theirs; /* race: a */
    (void)seen;
    shmem_finalize();
    return 0;
}
