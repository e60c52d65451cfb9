/* thrille: n=2 flags=-pthread */
/* Data and flag are written under the mutex that the consumer holds when it wakes up and reads. */
#include <pthread.h>
#include <shmem.h>

static long x;
static int ready;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;

static void *produce(void *arg)
{
    pthread_mutex_lock(&mutex);
    x = 1;
    ready = 1;
    pthread_cond_signal(&condition);
    pthread_mutex_unlock(&mutex);
    return arg;
}

int main(void)
{
    int provided;
    shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
    int me = shmem_my_pe();
    volatile long seen = 0;
    pthread_t thread;
    pthread_create(&thread, NULL, produce, NULL);
    pthread_mutex_lock(&mutex);
    while (!ready)
        pthread_cond_wait(&condition, &mutex);
    seen = x + me;
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
    (void)seen;
    shmem_finalize();
    return 0;
}
