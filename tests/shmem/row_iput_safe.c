/* thrille: n=2 */
/* shmem_barrier_all completes the strided put before the load of one of its elements. */
#include <shmem.h>

static int x[8];
static int from[4] = {1, 2, 3, 4};

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    volatile long seen = 0;
    if (me == 0)
        shmem_int_iput(x, from, 2, 1, 4, 1);
    shmem_barrier_all();
    if (me == 1)
        seen = x[4];
    (void)seen;
    shmem_finalize();
    return 0;
}
