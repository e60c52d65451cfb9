/* thrille: n=2,4 */
/* PE 1 has returned, PE 0 perhaps not: its source may still be read when PE 1 puts to it. */
#include <shmem.h>

static long from, to;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    shmem_long_broadcast(SHMEM_TEAM_WORLD, &to, &from, 1, 0); /* race: a */
    if (me == 1)
        shmem_long_p(&from, 2, 0); /* race: a */
    shmem_finalize();
    return 0;
}
