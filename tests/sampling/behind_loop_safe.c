/* thrille: n=2 policies=HA,H0,I,IA,F,FA0,B,P,K2A,M,budget */
/* As behind_loop_race, with a barrier. */
#include <shmem.h>

#define CELLS 64

static long cells[CELLS], first, second;
static volatile long rounds = 40000;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    for (long turn = 0; turn < rounds; turn++)
        for (int i = 0; i < CELLS; i++)
            cells[i] = cells[i] * 3 + turn;
    if (me == 0)
        first = cells[7];
    long n = rounds * 10;
    for (long i = 0; i < n; i++)
        cells[cells[i % CELLS] & (CELLS - 1)] += i;
    second = cells[9];
    shmem_barrier_all();
    if (me == 1) {
        shmem_long_g(&first, 0);
        shmem_long_g(&second, 0);
    }
    shmem_barrier_all();
    shmem_finalize();
    return cells[3] == 1;
}
