/* thrille: n=2,4 */
/* shmem_sync_all makes sure that PE 0 has returned from the broadcast before PE 1 puts to its source. */
#include <shmem.h>

static long from, to;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    shmem_long_broadcast(SHMEM_TEAM_WORLD, &to, &from, 1, 0);
    shmem_sync_all();
    if (me == 1)
        shmem_long_p(&from, 2, 0);
    shmem_finalize();
    return 0;
}
