/* thrille: n=2 */
/* The put is complete after shmem_quiet, but PE 0 may have entered the fcollect and read its source before that. */
#include <shmem.h>

static long from, to[2];

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    volatile long seen = 0;
    if (me == 1)
        shmem_long_p(&from, 7, 0); /* race: a */
    shmem_quiet();
    shmem_long_fcollect(SHMEM_TEAM_WORLD, to, &from, 1); /* race: a */
    seen = to[0];
    (void)seen;
    shmem_finalize();
    return 0;
}
