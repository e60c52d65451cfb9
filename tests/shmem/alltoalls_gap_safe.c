/* thrille: n=4 */
/* A store to a gap between the elements of shmem_alltoalls's destination. */
#include <shmem.h>

static long from[8], to[16];

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    for (int i = 0; i < 8; i++)
        from[i] = me * 8 + i;
    int other = (me + 1) % 4;
    to[other * 2 + 1] = -1;
    shmem_long_alltoalls(SHMEM_TEAM_WORLD, to, from, 2, 1, 1);
    shmem_barrier_all();
    shmem_finalize();
    return 0;
}
