/* thrille: n=3 */
/* Another PE may call the next fcollect, and write its part of this destination, while it is read. */
#include <shmem.h>

static int mine[2], all[6];

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    volatile int s = 0;
    for (int it = 0; it < 4; it++) {
        mine[0] = mine[1] = me * it;
        shmem_int_fcollect(SHMEM_TEAM_WORLD, all, mine, 2); /* race: a */
        for (int i = 0; i < 6; i++)
            s += all[i]; /* race: a */
    }
    (void)s;
    shmem_finalize();
    return 0;
}
