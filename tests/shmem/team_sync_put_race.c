/* thrille: n=4 */
/* shmem_team_sync does not complete the put of a member, which is still under way when the other member loads. */
#include <shmem.h>
#include <stddef.h>

static long x;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    volatile long seen = 0;
    shmem_team_t even;
    shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 2, 2, NULL, 0, &even);
    if (me == 0) {
        shmem_long_p(&x, 1, 2); /* race: a */
    }
    if (even != SHMEM_TEAM_INVALID)
        shmem_team_sync(even);
    if (me == 2)
        seen = x; /* race: a */
    (void)seen;
    shmem_finalize();
    return 0;
}
