/* thrille: n=2 flags=-pthread */
/* A C11 atomic in a PE's own memory, which has several threads, tells another PE that reaches it by shmem_ptr nothing of what is done after it. */
#include <pthread.h>
#include <sched.h>
#include <shmem.h>
#include <stdatomic.h>

static atomic_int flag;
static long data;

static void *work(void *arg)
{
    (void)arg;
    atomic_store_explicit(&flag, 1, memory_order_release);
    data = 1; /* race: a */
    return NULL;
}

int main(void)
{
    int provided;
    shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
    int me = shmem_my_pe();
    if (me == 0) {
        pthread_t t;
        pthread_create(&t, NULL, work, NULL);
        pthread_join(t, NULL);
    } else {
        atomic_int *theirs = shmem_ptr(&flag, 0);
        while (atomic_load_explicit(theirs, memory_order_acquire) == 0)
            sched_yield();
        volatile long seen = shmem_long_g(&data, 0); /* race: a */
        (void)seen;
    }
    shmem_barrier_all();
    shmem_finalize();
    return 0;
}
