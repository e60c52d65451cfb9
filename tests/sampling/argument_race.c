/* thrille: n=2 policies=IA,H1,budget */
/* A function is called with a private array first and then with a symmetric one that was there all the time. */
#include <shmem.h>

static long shared[8];

static void fill(long *at, int n)
{
    for (int i = 0; i < n; i++)
        at[i] = i; /* race: a */
}

int main(void)
{
    shmem_init();
    long own[8], got[8];
    fill(own, 8);
    fill(own, 8);
    if (shmem_my_pe() == 0)
        fill(shared, 8);
    else
        shmem_long_get(got, shared, 8, 0); /* race: a */
    shmem_barrier_all();
    shmem_finalize();
    return 0;
}
