/* thrille: n=3 */
/* The put to a part of the destination that comes from another PE is complete. */
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
        shmem_int_put(&all[5], &v, 1, 0);
        shmem_quiet();
    }
    shmem_sync_all();
    shmem_int_collect(SHMEM_TEAM_WORLD, all, mine, k);
    shmem_finalize();
    return 0;
}
