/* thrille: n=2,4 */
/* shmem_sync_all makes sure that PE 1 has returned and has its result. */
#include <shmem.h>

static long from, to;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    volatile long seen = 0;
    from = me;
    shmem_long_max_reduce(SHMEM_TEAM_WORLD, &to, &from, 1);
    shmem_sync_all();
    if (me == 0)
        seen = shmem_long_g(&to, 1);
    (void)seen;
    shmem_finalize();
    return 0;
}
