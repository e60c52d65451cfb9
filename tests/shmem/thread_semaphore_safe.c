/* thrille: n=1 flags=-pthread */
/* Two semaphores, full and empty. */
#include <pthread.h>
#include <semaphore.h>
#include <shmem.h>

static sem_t full, empty;
static long slot;

static void *producer(void *arg)
{
    (void)arg;
    for (int i = 0; i < 10; i++) {
        sem_wait(&empty);
        slot = i;
        sem_post(&full);
    }
    return NULL;
}

int main(void)
{
    int provided;
    shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
    volatile long s = 0;
    sem_init(&full, 0, 0);
    sem_init(&empty, 0, 1);
    pthread_t t;
    pthread_create(&t, NULL, producer, NULL);
    for (int i = 0; i < 10; i++) {
        sem_wait(&full);
        s += slot;
        sem_post(&empty);
    }
    pthread_join(t, NULL);
    (void)s;
    shmem_finalize();
    return 0;
}
