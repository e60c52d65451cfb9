/* thrille: n=2 policies=HA,H0,I,IA,F,FA0,B,P,K2A,M,budget */
/* As phase_kind_race, but nobody writes in those phases. */
#include <shmem.h>

static long value[1000], copy;

static void work(int n)
{
    for (int i = 0; i < n; i++)
        value[i] = i;
}

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    for (int turn = 0; turn < 300; turn++) {
        if (me == 0)
            work(1000);
        shmem_barrier_all();
        if (turn == 250 && me == 0)
            copy = 0;
        else if (turn == 250)
            copy = shmem_long_g(&value[0], 0);
        shmem_barrier_all();
    }
    shmem_finalize();
    return 0;
}
