/* thrille: n=2 policies=HA,H0,I,IA,F,FA0,B,P,K2A,M,NL,budget */
/* A queue under a lock hands data over, thousands of times. The loads and stores that carry the order are let pass, most of them; those of the data are not. */
#include <shmem.h>

#define TURNS 400

static long lock, filled;
static long data[TURNS];

static long is_filled(long turn)
{
    shmem_set_lock(&lock);
    long seen = shmem_long_g(&filled, 0);
    shmem_clear_lock(&lock);
    return seen > turn;
}

static void fill(long turn)
{
    data[turn] = turn;
    shmem_set_lock(&lock);
    filled = turn + 1;
    shmem_clear_lock(&lock);
}

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    for (long turn = 0; turn < TURNS; turn++) {
        if (me == 0)
            fill(turn);
        else {
            while (!is_filled(turn))
                ;
            shmem_long_g(&data[turn], 0);
        }
    }
    shmem_barrier_all();
    shmem_finalize();
    return 0;
}
