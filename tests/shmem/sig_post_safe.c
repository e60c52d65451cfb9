/* thrille: n=1 flags=-pthread */
/* A handler posts a semaphore: who waited for it comes after what the handler's thread did before. */
#include <pthread.h>
#include <semaphore.h>
#include <shmem.h>
#include <signal.h>

static sem_t told;
static long data;

static void handler(int signal)
{
    (void)signal;
    sem_post(&told);
}

static void *work(void *arg)
{
    (void)arg;
    sem_wait(&told);
    volatile long seen = data;
    (void)seen;
    return NULL;
}

int main(void)
{
    int provided;
    shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
    sem_init(&told, 0, 0);
    signal(SIGUSR1, handler);
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    data = 1;
    raise(SIGUSR1);
    pthread_join(t, NULL);
    shmem_finalize();
    return 0;
}
