/* thrille: n=2 flags=-pthread */
/* Both threads hold the lock for writing. */
#include <pthread.h>
#include <shmem.h>

static long x;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void *increment(void *arg)
{
    pthread_rwlock_wrlock(&lock);
    x++;
    pthread_rwlock_unlock(&lock);
    return arg;
}

int main(void)
{
    int provided;
    shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
    int me = shmem_my_pe();
    volatile long seen = 0;
    pthread_t thread[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, increment, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    seen = x + me;
    (void)seen;
    shmem_finalize();
    return 0;
}
