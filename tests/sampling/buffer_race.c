/* thrille: n=2 policies=HA,H0,I,IA,FA0,BA,PA,K2A,MA,budget */
/* A private buffer is handed to a nonblocking get, and touched before that is complete, by a line that touched it a thousand times before. */
#include <shmem.h>

static long shared[4];

static void fill(long *at, int n)
{
    for (int i = 0; i < n; i++)
        at[i] = i; /* race: a */
}

int main(void)
{
    shmem_init();
    long own[4];
    for (int turn = 0; turn < 1000; turn++)
        fill(own, 4);
    shmem_long_get_nbi(own, shared, 4, (shmem_my_pe() + 1) % 2); /* race: a */
    fill(own, 4);
    shmem_quiet();
    shmem_barrier_all();
    shmem_finalize();
    return 0;
}
