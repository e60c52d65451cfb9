/* thrille: n=2 flags=-pthread */
/* pthread_barrier_wait orders the stores of both threads before their loads. */
#include <pthread.h>
#include <shmem.h>

static long x[2];
static pthread_barrier_t both;

static void *exchange(void *arg)
{
    const int which = *(const int *)arg;
    x[which] = 1;
    pthread_barrier_wait(&both);
    volatile long other = x[1 - which];
    (void)other;
    return NULL;
}

int main(void)
{
    int provided;
    shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
    static const int which[2] = {0, 1};
    pthread_t thread[2];
    pthread_barrier_init(&both, NULL, 2);
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, exchange, (void *)&which[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    shmem_finalize();
    return 0;
}
