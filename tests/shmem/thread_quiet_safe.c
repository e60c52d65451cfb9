/* thrille: n=2 flags=-pthread */
/* pthread_join orders the thread's put and quiet before the synchronisation of the main thread. */
#include <pthread.h>
#include <shmem.h>

static long x;

static void *put(void *arg)
{
    const int *me = arg;
    if (*me == 0) {
        shmem_long_p(&x, 1, 1);
        shmem_quiet();
    }
    return NULL;
}

int main(void)
{
    int provided;
    shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
    int me = shmem_my_pe();
    volatile long seen = 0;
    pthread_t thread;
    pthread_create(&thread, NULL, put, &me);
    pthread_join(thread, NULL);
    shmem_sync_all();
    if (me == 1)
        seen = x;
    (void)seen;
    shmem_finalize();
    return 0;
}
