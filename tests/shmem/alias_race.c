/* thrille: n=2 flags=-O2 */
/* PE 1 loads through a pointer into the middle of the array and a negative index: the word that PE 0 puts. */
#include <shmem.h>

static long x[8];

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    volatile long seen = 0;
    long *middle = &x[4];
    if (me == 0)
        shmem_long_p(&x[3], 1, 1); /* race: a */
    if (me == 1)
        seen = middle[-1]; /* race: a */
    (void)seen;
    shmem_finalize();
    return 0;
}
