/* thrille: n=2 flags=-pthread */
/* A barrier of a mutex, a condition variable, a count and a generation: what the count tells under the mutex orders (XSH 4.12). */
#include <shmem.h>
#include <pthread.h>

enum { THREADS = 3, STEPS = 4 };
static long x[THREADS], part[THREADS];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t over = PTHREAD_COND_INITIALIZER;
static int count;
static long generation;

static void meet(void)
{
    pthread_mutex_lock(&mutex);
    long mine = generation;
    if (++count == THREADS) {
        count = 0;
        generation++;
        pthread_cond_broadcast(&over);
    }
    while (mine == generation)
        pthread_cond_wait(&over, &mutex);
    pthread_mutex_unlock(&mutex);
}

static void *work(void *arg)
{
    long me = (long)arg;
    for (int step = 0; step < STEPS; step++) {
        part[me] = step;
        meet();
        if (me == step % THREADS) {
            shmem_long_put(x, part, THREADS, 1 - shmem_my_pe());
            shmem_quiet();
        }
        meet();
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
