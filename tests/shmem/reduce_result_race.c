/* thrille: n=2,4 */
/* PE 0 has returned from the reduction, PE 1 perhaps not: its result may not be there when PE 0 gets it. */
#include <shmem.h>

static long from, to;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    volatile long seen = 0;
    from = me;
    shmem_long_max_reduce(SHMEM_TEAM_WORLD, &to, &from, 1); /* race: a */
    if (me == 0)
        seen = shmem_long_g(&to, 1); /* race: a */
    (void)seen;
    shmem_finalize();
    return 0;
}
