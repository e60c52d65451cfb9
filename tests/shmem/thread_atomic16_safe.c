/* thrille: n=2 flags=-mcx16 */
/* Release and acquire on a flag of sixteen bytes order the thread's store before the put that reads its source. */
#include <pthread.h>
#include <shmem.h>

static long x, from;
static __int128 ready;

static void *fill(void *arg)
{
    from = 1;
    __atomic_exchange_n(&ready, (__int128)1 << 70, __ATOMIC_RELEASE);
    return arg;
}

int main(void)
{
    int provided;
    shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
    int me = shmem_my_pe();
    pthread_t thread;
    pthread_create(&thread, NULL, fill, NULL);
    while (__atomic_load_n(&ready, __ATOMIC_ACQUIRE) >> 70 == 0)
        ;
    shmem_long_put(&x, &from, 1, (me + 1) % shmem_n_pes());
    pthread_join(thread, NULL);
    shmem_finalize();
    return 0;
}
