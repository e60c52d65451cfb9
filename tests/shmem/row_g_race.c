/* thrille: n=2 */
/* shmem_g reads a word of PE 1 while PE 1 stores to it. */
#include <shmem.h>

static double x;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    volatile long seen = 0;
    if (me == 0)
        seen = (long)shmem_double_g(&x, 1); /* race: a */
    if (me == 1)
        x = 2.5; /* race: a */
    (void)seen;
    shmem_finalize();
    return 0;
}
