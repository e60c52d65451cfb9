/* thrille: n=3 */
/* The put goes to a part of the destination that comes from another PE; it is not complete when the collect starts. */
#include <shmem.h>

static int mine[4], all[16];
static long flag;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    int k = me + 1;
    for (int i = 0; i < k; i++)
        mine[i] = me;
    if (me == 2) {
        int v = 9;
        shmem_int_put(&all[5], &v, 1, 0); /* race: a */
    }
    shmem_sync_all();
    shmem_int_collect(SHMEM_TEAM_WORLD, all, mine, k); /* race: a */
    shmem_finalize();
    return 0;
}
