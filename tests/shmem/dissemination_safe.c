/* thrille: n=4 */
/* A dissemination barrier of two rounds for four PEs. */
#include <shmem.h>

#define ROUNDS 2
static int came[ROUNDS];
static long box;

static void barrier(int me, int n)
{
    shmem_quiet();
    for (int round = 0; round < ROUNDS; round++) {
        shmem_int_atomic_inc(&came[round], (me + (1 << round)) % n);
        shmem_int_wait_until(&came[round], SHMEM_CMP_GE, 1);
    }
}

int main(void)
{
    shmem_init();
    int me = shmem_my_pe(), n = shmem_n_pes();
    shmem_long_p(&box, me, (me + 2) % n);
    barrier(me, n);
    volatile long seen = box;
    (void)seen;
    shmem_barrier_all();
    shmem_finalize();
    return 0;
}
