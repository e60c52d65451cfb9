/* thrille: n=1 policies=HA,H0,I,IA,FA0,BA,PA,K2A,MA,budget */
/* What was private while there was one thread is not when there are two. */
#include <pthread.h>
#include <shmem.h>
#include <stdlib.h>

static void fill(long *at, int n)
{
    for (int i = 0; i < n; i++)
        at[i] = i; /* race: a a */
}

static void *other(void *at)
{
    fill(at, 4);
    return NULL;
}

int main(void)
{
    shmem_init();
    long *own = malloc(4 * sizeof *own);
    for (int turn = 0; turn < 1000; turn++)
        fill(own, 4);
    pthread_t thread;
    pthread_create(&thread, NULL, other, own);
    fill(own, 4);
    pthread_join(thread, NULL);
    free(own);
    shmem_finalize();
    return 0;
}
