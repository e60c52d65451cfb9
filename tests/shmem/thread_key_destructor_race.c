/* thrille: n=2 flags=-pthread */
/* The destructor of a thread's key posts before it stores (pthread_key_create: destructors run when the thread exits). */
#include <shmem.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

static long x, result;
static sem_t over;
static atomic_int gone;
static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void ends(void *value)
{
    sem_post(&over);
    result += *(long *)value; /* race: a */
    atomic_store_explicit(&gone, 1, memory_order_relaxed);
}

static void make(void)
{
    pthread_key_create(&key, ends);
}

static void *work(void *arg)
{
    pthread_once(&once, make);
    static long mine = 3;
    pthread_setspecific(key, &mine);
    result = 1;
    return arg;
}

int main(void)
{
    int provided;
        shmem_init_thread(SHMEM_THREAD_FUNNELED, &provided);
    sem_init(&over, 0, 0);
    pthread_t thread;
    pthread_attr_t detached;
    pthread_attr_init(&detached);
    pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
    pthread_create(&thread, &detached, work, NULL);
    sem_wait(&over);
    shmem_long_put(&x, &result, 1, 1 - shmem_my_pe()); /* race: a */
    shmem_barrier_all();
    while (!atomic_load_explicit(&gone, memory_order_relaxed))
        ;
    shmem_finalize();
    return 0;
}
