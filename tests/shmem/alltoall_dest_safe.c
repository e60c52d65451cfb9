/* thrille: n=2,4 */
/* shmem_sync_all makes sure that PE 1 has returned before PE 0 puts to its destination. */
#include <shmem.h>

static int from[8], to[8];

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    shmem_int_alltoall(SHMEM_TEAM_WORLD, to, from, 1);
    shmem_sync_all();
    if (me == 0)
        shmem_int_p(&to[1], 9, 1);
    shmem_finalize();
    return 0;
}
