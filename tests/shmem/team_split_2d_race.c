/* thrille: n=4 */
/* The columns synchronise, {0,2} and {1,3}: PE 0 and PE 1 share a row and not a column. */
#include <shmem.h>
#include <stddef.h>

static long x;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    volatile long seen = 0;
    shmem_team_t row, column;
    shmem_team_split_2d(SHMEM_TEAM_WORLD, 2, NULL, 0, &row, NULL, 0, &column);
    if (me == 0) {
        shmem_long_p(&x, 1, 1); /* race: a */
        shmem_quiet();
    }
    shmem_team_sync(column);
    if (me == 1)
        seen = x; /* race: a */
    (void)seen;
    shmem_finalize();
    return 0;
}
