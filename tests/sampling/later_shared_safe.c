/* thrille: n=2 policies=HA,HA.5,H0,IA,FA0,BA,PA,K2A,MA */
/* As later_shared_race, with a barrier in between. */
#include <shmem.h>
#include <stdlib.h>

static void fill(long *at, int n)
{
    for (int i = 0; i < n; i++)
        at[i] = i;
}

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    long *own = malloc(8 * sizeof *own);
    for (int turn = 0; turn < 1000; turn++)
        fill(own, 8);
    long *shared = shmem_malloc(8 * sizeof *shared);
    long got[8];
    if (me == 0)
        fill(shared, 8);
    shmem_barrier_all();
    if (me == 1)
        shmem_long_get(got, shared, 8, 0);
    shmem_barrier_all();
    free(own);
    shmem_free(shared);
    shmem_finalize();
    return 0;
}
