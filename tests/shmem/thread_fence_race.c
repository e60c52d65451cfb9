/* thrille: n=1,2 flags=-pthread */
/* No release fence: a relaxed store carries nothing. */
#include <pthread.h>
#include <shmem.h>
#include <stdatomic.h>

static long data;
static atomic_int ready;

static void *producer(void *arg)
{
    (void)arg;
    data = 42; /* race: a */
    atomic_store_explicit(&ready, 1, memory_order_relaxed);
    return NULL;
}

int main(void)
{
    int provided;
    shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
    pthread_t t;
    pthread_create(&t, NULL, producer, NULL);
    while (!atomic_load_explicit(&ready, memory_order_relaxed))
        ;
    atomic_thread_fence(memory_order_acquire);
    volatile long seen = data; /* race: a */
    pthread_join(t, NULL);
    (void)seen;
    shmem_finalize();
    return 0;
}
