/* thrille: n=2,4 */
/* The barrier made by hand orders the PEs but completes no puts, and nobody called quiet before it. */
#include <shmem.h>

static long x, arrived, go;

static void wait_for_all(int me, int n)
{
    shmem_long_atomic_inc(&arrived, 0);
    if (me == 0) {
        shmem_long_wait_until(&arrived, SHMEM_CMP_EQ, n);
        for (int i = 0; i < n; i++)
            shmem_long_atomic_set(&go, 1, i);
    }
    shmem_long_wait_until(&go, SHMEM_CMP_EQ, 1);
}

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    volatile long seen = 0;
    int n = shmem_n_pes();
    shmem_long_p(&x, me, (me + 1) % n); /* race: a */
    wait_for_all(me, n);
    seen = x; /* race: a */
    (void)seen;
    shmem_finalize();
    return 0;
}
