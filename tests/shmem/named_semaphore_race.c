/* thrille: n=2 flags=-pthread */
/* A named semaphore (sem_open) with a first value: the first wait passes without any post. */
#include <shmem.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <unistd.h>

static long x, data;
static sem_t *semaphore;

static void *produce(void *arg)
{
    data = 7; /* race: a */
    sem_post(semaphore);
    return arg;
}

int main(void)
{
    int provided;
    char name[32];
    pthread_t thread;
    shmem_init_thread(SHMEM_THREAD_FUNNELED, &provided);
    snprintf(name, sizeof(name), "/hunt%d", (int)getpid());
    semaphore = sem_open(name, O_CREAT | O_EXCL, 0600, 1);
    sem_unlink(name);
    pthread_create(&thread, NULL, produce, NULL);
    sem_wait(semaphore);
    shmem_long_put(&x, &data, 1, 1 - shmem_my_pe()); /* race: a */
    pthread_join(thread, NULL);
    shmem_barrier_all();
    sem_close(semaphore);
    shmem_finalize();
    return 0;
}
