/* thrille: n=1 flags=-pthread */
/* A compare-and-exchange that fails has the order that was asked for that case: relaxed. */
#include <pthread.h>
#include <shmem.h>
#include <stdatomic.h>

static long data;
static atomic_int ready;

static void *producer(void *arg)
{
    (void)arg;
    data = 42; /* race: a */
    atomic_store_explicit(&ready, 7, memory_order_release);
    return NULL;
}

int main(void)
{
    int provided;
    shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
    pthread_t t;
    pthread_create(&t, NULL, producer, NULL);
    int expected;
    do {
        expected = 100;
        atomic_compare_exchange_strong_explicit(&ready, &expected, 0, memory_order_acq_rel, memory_order_relaxed);
    } while (expected != 7);
    volatile long seen = data; /* race: a */
    pthread_join(t, NULL);
    (void)seen;
    shmem_finalize();
    return 0;
}
