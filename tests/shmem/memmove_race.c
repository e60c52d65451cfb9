/* thrille: n=2 */
/* memmove reads the first element while the put of PE 0 to it is under way. */
#include <shmem.h>
#include <string.h>

static long x[8];

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    if (me == 0)
        shmem_long_p(&x[0], 1, 1); /* race: a */
    if (me == 1)
        memmove(&x[1], &x[0], 6 * sizeof x[0]); /* race: a */
    shmem_finalize();
    return 0;
}
