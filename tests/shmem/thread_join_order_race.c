/* thrille: n=2 flags=-pthread */
/* The main thread loads before it has joined the thread that stores. */
#include <pthread.h>
#include <shmem.h>

static long x;

static void *store(void *arg)
{
    x = 1; /* race: a */
    return arg;
}

int main(void)
{
    int provided;
    shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
    int me = shmem_my_pe();
    volatile long seen = 0;
    pthread_t thread;
    pthread_create(&thread, NULL, store, NULL);
    seen = x + me; /* race: a */
    pthread_join(thread, NULL);
    (void)seen;
    shmem_finalize();
    return 0;
}
