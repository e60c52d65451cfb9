/* thrille: n=2 */
/* PE 1 stores to a gap between the elements that the strided get reads: no byte in common. */
#include <shmem.h>

static int x[8];

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    int to[4];
    if (me == 0)
        shmem_int_iget(to, x, 1, 2, 4, 1);
    if (me == 1)
        x[3] = 5;
    shmem_finalize();
    return 0;
}
