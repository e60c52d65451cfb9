/* thrille: n=2 flags=-pthread */
/* The main thread stores after it has created the thread that loads. */
#include <pthread.h>
#include <shmem.h>

static long x;

static void *load(void *arg)
{
    volatile long value = x; /* race: a */
    (void)value;
    return arg;
}

int main(void)
{
    int provided;
    shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
    int me = shmem_my_pe();
    pthread_t thread;
    pthread_create(&thread, NULL, load, NULL);
    x = me; /* race: a */
    pthread_join(thread, NULL);
    shmem_finalize();
    return 0;
}
