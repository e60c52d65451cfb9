/* thrille: n=2 */
/* memmove shifts elements 1 to 6, and PE 0 puts to element 0, which it neither reads nor writes. */
#include <shmem.h>
#include <string.h>

static long x[8];

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    if (me == 0)
        shmem_long_p(&x[0], 1, 1);
    if (me == 1)
        memmove(&x[2], &x[1], 6 * sizeof x[0]);
    shmem_finalize();
    return 0;
}
