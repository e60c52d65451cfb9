/* thrille: n=2,4 */
/* The reduction orders the PEs, but it completes no put: the word may not have arrived. */
#include <shmem.h>

static long x, from, to;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    volatile long seen = 0;
    int n = shmem_n_pes();
    shmem_long_p(&x, me, (me + 1) % n); /* race: a */
    shmem_long_sum_reduce(SHMEM_TEAM_WORLD, &to, &from, 1);
    seen = x; /* race: a */
    (void)seen;
    shmem_finalize();
    return 0;
}
