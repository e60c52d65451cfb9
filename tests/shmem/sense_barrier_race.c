/* thrille: n=2 flags=-pthread */
/* A barrier of atomics with a sense whose count goes down relaxed (C11 7.17.3): the last to come has not seen what the others did. */
#include <shmem.h>
#include <pthread.h>
#include <stdatomic.h>

enum { THREADS = 3, STEPS = 4 };
static long x[THREADS], part[2][THREADS];
static atomic_int left = THREADS;
static atomic_bool sense;

static void meet(int *mine)
{
    *mine = !*mine;
    if (atomic_fetch_sub_explicit(&left, 1, memory_order_relaxed) == 1) {
        atomic_store_explicit(&left, THREADS, memory_order_relaxed);
        atomic_store_explicit(&sense, *mine, memory_order_release);
    } else
        while (atomic_load_explicit(&sense, memory_order_acquire) != *mine)
            ;
}

static void *work(void *arg)
{
    int me = (int)(long)arg, mine = 0;
    for (int step = 0; step < STEPS; step++) {
        part[step % 2][me] = step; /* race: a */
        meet(&mine);
        if (me == 0)
            shmem_long_put(x, part[step % 2], THREADS, 1 - shmem_my_pe()); /* race: a */
        if (me == 0)
            shmem_quiet();
    }
    return NULL;
}

int main(void)
{
    int provided;
    shmem_init_thread(SHMEM_THREAD_SERIALIZED, &provided);
    pthread_t threads[THREADS];
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    shmem_barrier_all();
    shmem_finalize();
    return 0;
}
