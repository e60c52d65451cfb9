/* thrille: n=2 flags=-pthread */
/* The main thread joins the thread that stores before it loads. */
#include <pthread.h>
#include <shmem.h>

static long x;

static void *store(void *arg)
{
    x = 1;
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
    pthread_join(thread, NULL);
    seen = x + me;
    (void)seen;
    shmem_finalize();
    return 0;
}
