/* thrille: n=2 flags=-pthread */
/* The producer writes the data after it has announced them and released the mutex. */
#include <pthread.h>
#include <shmem.h>

static long x;
static int ready;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;

static void *produce(void *arg)
{
    pthread_mutex_lock(&mutex);
    ready = 1;
    pthread_cond_signal(&condition);
    pthread_mutex_unlock(&mutex);
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
    pthread_create(&thread, NULL, produce, NULL);
    pthread_mutex_lock(&mutex);
    while (!ready)
        pthread_cond_wait(&condition, &mutex);
    seen = x + me; /* race: a */
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
    (void)seen;
    shmem_finalize();
    return 0;
}
