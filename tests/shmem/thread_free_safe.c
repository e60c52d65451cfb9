/* thrille: n=2 flags=-pthread */
/* The block was allocated before there was a thread, and is given back when the thread has ended. */
#include <pthread.h>
#include <shmem.h>
#include <stdlib.h>

static long sum;

static void *add(void *arg)
{
    long *numbers = arg;
    for (int i = 0; i < 64; i++)
        sum += numbers[i];
    return NULL;
}

int main(void)
{
    int provided;
    shmem_init_thread(SHMEM_THREAD_FUNNELED, &provided);
    long *numbers = calloc(64, sizeof(long));
    pthread_t thread;
    pthread_create(&thread, NULL, add, numbers);
    pthread_join(thread, NULL);
    free(numbers);
    shmem_finalize();
    return 0;
}
