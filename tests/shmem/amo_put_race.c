/* thrille: n=3 */
/* An atomic increment and a non-atomic shmem_p on the same word at the same time: the atomicity guarantee does not
   hold. */
#include <shmem.h>

static long x;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    if (me == 0)
        shmem_long_atomic_inc(&x, 2); /* race: a */
    if (me == 1)
        shmem_long_p(&x, 5, 2); /* race: a */
    shmem_finalize();
    return 0;
}
