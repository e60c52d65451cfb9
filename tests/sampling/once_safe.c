/* thrille: n=2 policies=HA,H0,I,IA,F,FA0,B,P,K2A,M,budget */
/* As once_race, with a barrier before the other side looks. */
#include <shmem.h>

static long cells[16], total;

static void step(long turn)
{
    for (int i = 0; i < 16; i++)
        cells[i] += turn;
    if (turn == 77777)
        total = turn;
}

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    for (long turn = 0; turn < 100000; turn++)
        step(me == 0 ? turn : 0);
    shmem_barrier_all();
    if (me == 1)
        shmem_long_g(&total, 0);
    shmem_barrier_all();
    shmem_finalize();
    return 0;
}
