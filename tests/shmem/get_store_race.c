/* thrille: n=2 */
/* A get reads a word of PE 1 while PE 1 stores to it. */
#include <shmem.h>

static long x;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    long y;
    if (me == 0)
        shmem_long_get(&y, &x, 1, 1); /* race: a */
    if (me == 1)
        x = 2; /* race: a */
    shmem_finalize();
    return 0;
}
