/* thrille: n=2 */
/* PE 1 increments its own word with plain load and store while PE 0 does so atomically. */
#include <shmem.h>

static long x;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    if (me == 0)
        shmem_long_atomic_inc(&x, 1); /* race: a */
    if (me == 1)
        x++; /* race: a */
    shmem_finalize();
    return 0;
}
