/* thrille: n=2 */
/* The put to the destination on PE 0 is still under way when the collect writes there. */
#include <shmem.h>
#include <stddef.h>

static long from[2], to[4];

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    if (me == 1)
        shmem_long_p(&to[0], 7, 0); /* race: a */
    shmem_long_collect(SHMEM_TEAM_WORLD, to, from, (size_t)me + 1); /* race: a */
    shmem_finalize();
    return 0;
}
