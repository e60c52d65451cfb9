/* thrille: n=2 policies=HA,H0,I,IA,FA0,BA,PA,K2A,MA,budget */
/* As buffer_race, complete before it is touched. */
#include <shmem.h>

static long shared[4];

static void fill(long *at, int n)
{
    for (int i = 0; i < n; i++)
        at[i] = i;
}

int main(void)
{
    shmem_init();
    long own[4];
    for (int turn = 0; turn < 1000; turn++)
        fill(own, 4);
    shmem_long_get_nbi(own, shared, 4, (shmem_my_pe() + 1) % 2);
    shmem_quiet();
    fill(own, 4);
    shmem_barrier_all();
    shmem_finalize();
    return 0;
}
