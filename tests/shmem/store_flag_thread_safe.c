/* thrille: n=1,2 flags=-pthread */
/* A thread stores data and then the flag that another one waits for. */
#include <pthread.h>
#include <shmem.h>

static long flag;
static int data;

static void *produce(void *arg)
{
    data = 5;
    shmem_quiet();
    flag = 1;
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
    seen = data;
    pthread_join(thread, NULL);
    (void)seen;
    shmem_finalize();
    return 0;
}
