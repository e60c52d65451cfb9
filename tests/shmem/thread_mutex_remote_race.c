/* thrille: n=2 flags=-pthread */
/* A mutex excludes the threads of its own PE: the put of the other PE to the word does not know it. */
#include <pthread.h>
#include <shmem.h>

static long x;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *increment(void *arg)
{
    pthread_mutex_lock(&mutex);
    x++; /* race: a */
    pthread_mutex_unlock(&mutex);
    return arg;
}

int main(void)
{
    int provided;
    shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
    int me = shmem_my_pe();
    pthread_t thread[2];
    if (me == 1) {
        for (int i = 0; i < 2; i++)
            pthread_create(&thread[i], NULL, increment, NULL);
        for (int i = 0; i < 2; i++)
            pthread_join(thread[i], NULL);
    }
    if (me == 0) {
        pthread_mutex_lock(&mutex);
        shmem_long_p(&x, 7, 1); /* race: a */
        shmem_quiet();
        pthread_mutex_unlock(&mutex);
    }
    shmem_finalize();
    return 0;
}
