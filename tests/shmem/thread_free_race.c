/* thrille: n=2 flags=-pthread */
/* The block was allocated before there was a thread, and is given back while the thread may still read it. */
#include <pthread.h>
#include <shmem.h>
#include <stdlib.h>

static long sum;

static void *add(void *arg)
{
    long *numbers = arg;
    for (int i = 0; i < 64; i++)
        sum += numbers[i]; /* race: a */
    return NULL;
}

int main(void)
{
    int provided;
    shmem_init_thread(SHMEM_THREAD_FUNNELED, &provided);
    long *numbers = calloc(64, sizeof(long));
    pthread_t thread;
    pthread_create(&thread, NULL, add, numbers);
    free(numbers); /* race: a */
    pthread_join(thread, NULL);
    shmem_finalize();
    return 0;
}
