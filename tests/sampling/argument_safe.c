/* thrille: n=2 policies=IA,H1,budget */
/* As argument_race, with a barrier in between. */
#include <shmem.h>

static long shared[8];

static void fill(long *at, int n)
{
    for (int i = 0; i < n; i++)
        at[i] = i;
}

int main(void)
{
    shmem_init();
    long own[8], got[8];
    fill(own, 8);
    fill(own, 8);
    if (shmem_my_pe() == 0)
        fill(shared, 8);
    shmem_barrier_all();
    if (shmem_my_pe() == 1)
        shmem_long_get(got, shared, 8, 0);
    shmem_barrier_all();
    shmem_finalize();
    return 0;
}
