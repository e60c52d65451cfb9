/* thrille: n=2 */
/* PE 1 stores to an element that the strided get reads. */
#include <shmem.h>

static int x[8];

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    int to[4];
    if (me == 0)
        shmem_int_iget(to, x, 1, 2, 4, 1); /* race: a */
    if (me == 1)
        x[2] = 5; /* race: a */
    shmem_finalize();
    return 0;
}
