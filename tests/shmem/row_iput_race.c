/* thrille: n=2 */
/* shmem_iput may return before its elements have arrived, and shmem_sync_all does not complete it. */
#include <shmem.h>

static int x[8];
static int from[4] = {1, 2, 3, 4};

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    volatile long seen = 0;
    if (me == 0)
        shmem_int_iput(x, from, 2, 1, 4, 1); /* race: a */
    shmem_sync_all();
    if (me == 1)
        seen = x[4]; /* race: a */
    (void)seen;
    shmem_finalize();
    return 0;
}
