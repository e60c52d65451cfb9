/* thrille: n=2 flags=-pthread */
/* Two threads of a PE increment the same symmetric word, each under a mutex of its own. */
#include <pthread.h>
#include <shmem.h>

static long x;
static pthread_mutex_t mutex[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};

static void *increment(void *arg)
{
    pthread_mutex_t *mine = arg;
    pthread_mutex_lock(mine);
    x++; /* race: a a */
    pthread_mutex_unlock(mine);
    return NULL;
}

int main(void)
{
    int provided;
    shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
    int me = shmem_my_pe();
    volatile long seen = 0;
    pthread_t thread[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, increment, &mutex[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    seen = x + me;
    (void)seen;
    shmem_finalize();
    return 0;
}
