/* thrille: n=2 */
/* A broadcast from PE 0 lets PE 0 go on before PE 1 has entered: the store of PE 1 is not ordered before the get
   of PE 0. */
#include <shmem.h>

static long x, from, to;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    volatile long seen = 0;
    x = 1; /* race: a */
    shmem_long_broadcast(SHMEM_TEAM_WORLD, &to, &from, 1, 0);
    if (me == 0)
        seen = shmem_long_g(&x, 1); /* race: a */
    (void)seen;
    shmem_finalize();
    return 0;
}
