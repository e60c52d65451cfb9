/* thrille: n=1 flags=-pthread */
/* sem_timedwait that got the semaphore. */
#include <pthread.h>
#include <semaphore.h>
#include <shmem.h>
#include <time.h>

static sem_t full;
static long slot;

static void *producer(void *arg)
{
    (void)arg;
    slot = 1;
    sem_post(&full);
    return NULL;
}

int main(void)
{
    int provided;
    shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
    sem_init(&full, 0, 0);
    pthread_t t;
    pthread_create(&t, NULL, producer, NULL);
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 100;
    while (sem_timedwait(&full, &until) != 0)
        ;
    ;
    volatile long s = slot;
    pthread_join(t, NULL);
    (void)s;
    shmem_finalize();
    return 0;
}
