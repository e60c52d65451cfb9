/* thrille: n=2 flags=-pthread */
/* A thread is cancelled in a wait for a condition; its handler gives the mutex back and then counts. */
#include <shmem.h>
#include <pthread.h>

static long x, gone;
static int waits;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER, there = PTHREAD_COND_INITIALIZER;

static void clean(void *arg)
{
    (void)arg;
    pthread_mutex_unlock(&mutex);
    gone++; /* race: a, b b */
}

static void *work(void *arg)
{
    pthread_mutex_lock(&mutex);
    pthread_cleanup_push(clean, NULL);
    waits++;
    pthread_cond_signal(&there);
    for (;;)
        pthread_cond_wait(&never, &mutex);
    pthread_cleanup_pop(1);
    return arg;
}

int main(void)
{
    int provided;
    pthread_t thread[2];
    shmem_init_thread(SHMEM_THREAD_FUNNELED, &provided);
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, work, NULL);
    pthread_mutex_lock(&mutex);
    while (waits < 2)
        pthread_cond_wait(&there, &mutex);
    pthread_mutex_unlock(&mutex);
    for (int i = 0; i < 2; i++)
        pthread_cancel(thread[i]);
    pthread_mutex_lock(&mutex);
    gone += 10; /* race: a */
    pthread_mutex_unlock(&mutex);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    shmem_long_put(&x, &gone, 1, 1 - shmem_my_pe());
    shmem_barrier_all();
    shmem_finalize();
    return 0;
}
