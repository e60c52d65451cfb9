/* thrille: n=2 policies=HA,H0,I,IA,F,FA0,B,P,K2A,M,budget */
/* A line that is executed in thousands of phases races only in those that begin at the second barrier of the loop. */
#include <shmem.h>

static long value[1000], copy;

static void work(int n)
{
    for (int i = 0; i < n; i++)
        value[i] = i; /* race: a */
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
            work(1);
        else if (turn == 250)
            copy = shmem_long_g(&value[0], 0); /* race: a */
        shmem_barrier_all();
    }
    shmem_finalize();
    return 0;
}
