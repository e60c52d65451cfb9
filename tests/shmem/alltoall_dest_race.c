/* thrille: n=2,4 */
/* PE 0 has returned from the alltoall, PE 1 perhaps not: its destination may still be written when PE 0 puts to
   it. */
#include <shmem.h>

static int from[8], to[8];

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    shmem_int_alltoall(SHMEM_TEAM_WORLD, to, from, 1); /* race: a */
    if (me == 0)
        shmem_int_p(&to[1], 9, 1); /* race: a */
    shmem_finalize();
    return 0;
}
