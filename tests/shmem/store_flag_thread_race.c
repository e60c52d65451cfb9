/* thrille: n=1,2 flags=-pthread */
/* A thread stores the flag that another one waits for, and then the data. */
#include <pthread.h>
#include <shmem.h>

static long flag;
static int data;

static void *produce(void *arg)
{
    flag = 1;
    shmem_quiet();
    data = 5; /* race: a */
    return arg;
}

int main(void)
{
    int provided;
    shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
    volatile int seen = 0;
    pthread_t thread;
    pthread_create(&thread, NULL, produce, NULL);
    shmem_long_wait_until(&flag, SHMEM_CMP_EQ, 1);
    seen = data; /* race: a */
    pthread_join(thread, NULL);
    (void)seen;
    shmem_finalize();
    return 0;
}
