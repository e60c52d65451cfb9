/* thrille: n=3 */
/* The get is before the call of the PE whose destination it reads, not before the call of the root, which writes there. */
#include <shmem.h>

static long src, dest;
static long flag;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    volatile long seen = 0;
    if (me == 2) {
        seen = shmem_long_g(&dest, 1); /* race: a */
        shmem_long_atomic_set(&flag, 1, 1);
    }
    if (me == 1)
        shmem_long_wait_until(&flag, SHMEM_CMP_EQ, 1);
    shmem_long_broadcast(SHMEM_TEAM_WORLD, &dest, &src, 1, 0); /* race: a */
    (void)seen;
    shmem_finalize();
    return 0;
}
