/* thrille: n=2 flags=-pthread */
/* The reader takes no lock and the writer holds it for writing: no common lock. */
#include <pthread.h>
#include <shmem.h>

static long x;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void *increment(void *arg)
{
    pthread_rwlock_wrlock(&lock);
    x++; /* race: a */
    pthread_rwlock_unlock(&lock);
    return arg;
}

int main(void)
{
    int provided;
    shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
    int me = shmem_my_pe();
    volatile long seen = 0;
    pthread_t thread;
    pthread_create(&thread, NULL, increment, NULL);
    seen = x + me; /* race: a */
    pthread_join(thread, NULL);
    (void)seen;
    shmem_finalize();
    return 0;
}
