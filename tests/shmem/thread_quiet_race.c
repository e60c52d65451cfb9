/* thrille: n=2 flags=-pthread */
/* The thread quiets its put, but the main thread synchronises without having joined it: order belongs to threads. */
#include <pthread.h>
#include <shmem.h>

static long x;

static void *put(void *arg)
{
    const int *me = arg;
    if (*me == 0) {
        shmem_long_p(&x, 1, 1); /* race: a */
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
    shmem_sync_all();
    if (me == 1)
        seen = x; /* race: a */
    pthread_join(thread, NULL);
    (void)seen;
    shmem_finalize();
    return 0;
}
