/* thrille: n=2 */
/* A put of three bytes ends in the first byte of the word that PE 1 loads. */
#include <shmem.h>

static long x[3];
static char from[3] = {1, 2, 3};

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    volatile long seen = 0;
    if (me == 0)
        shmem_putmem((char *)x + 6, from, 3, 1); /* race: a */
    if (me == 1)
        seen = x[1]; /* race: a */
    (void)seen;
    shmem_finalize();
    return 0;
}
