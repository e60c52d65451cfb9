/* thrille: n=2 flags=-pthread */
/* Relaxed operations on the flag order nothing: the thread's store races with the put's read of its source. */
#include <pthread.h>
#include <shmem.h>
#include <stdatomic.h>

static long x, from;
static atomic_int ready;

static void *fill(void *arg)
{
    from = 1; /* race: a */
    atomic_store_explicit(&ready, 1, memory_order_relaxed);
    return arg;
}

int main(void)
{
    int provided;
    shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
    int me = shmem_my_pe();
    pthread_t thread;
    pthread_create(&thread, NULL, fill, NULL);
    while (!atomic_load_explicit(&ready, memory_order_relaxed))
        ;
    shmem_long_put(&x, &from, 1, (me + 1) % shmem_n_pes()); /* race: a */
    pthread_join(thread, NULL);
    shmem_finalize();
    return 0;
}
