/* thrille: n=2 flags=-pthread */
/* The thread sets the flag before it stores the data: the wait orders nothing that comes after the flag. */
#include <pthread.h>
#include <shmem.h>

static long x, flag;

static void *store(void *arg)
{
    const int *me = arg;
    shmem_long_atomic_set(&flag, 1, *me);
    x = 1; /* race: a */
    return NULL;
}

int main(void)
{
    int provided;
    shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
    int me = shmem_my_pe();
    volatile long seen = 0;
    pthread_t thread;
    pthread_create(&thread, NULL, store, &me);
    shmem_long_wait_until(&flag, SHMEM_CMP_EQ, 1);
    seen = x; /* race: a */
    pthread_join(thread, NULL);
    (void)seen;
    shmem_finalize();
    return 0;
}
