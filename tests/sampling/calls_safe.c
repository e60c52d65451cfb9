/* thrille: n=2 policies=budget */
/* Calls alone use up the budget; two puts that come after that, each called once, are recorded all the same: a barrier orders them. */
#include <shmem.h>

#define TURNS 200000

static long table[TURNS], flag;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    for (long i = 0; i < TURNS; i++)
        shmem_long_p(&table[i], i, 1 - me);
    if (me == 0)
        shmem_long_p(&flag, 1, 1);
    shmem_barrier_all();
    if (me == 1)
        shmem_long_p(&flag, 2, 1);
    shmem_barrier_all();
    shmem_finalize();
    return 0;
}
