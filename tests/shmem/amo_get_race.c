/* thrille: n=3 */
/* A get is no atomic: it may not read the word while another PE increments it. */
#include <shmem.h>

static unsigned int x;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    volatile long seen = 0;
    if (me == 0)
        shmem_uint_atomic_inc(&x, 2); /* race: a */
    if (me == 1)
        seen = shmem_uint_g(&x, 2); /* race: a */
    (void)seen;
    shmem_finalize();
    return 0;
}
