/* thrille: n=1,2 flags=-pthread */
/* A destructor of C11's thread-specific storage adds to a sum without the mutex (C11 7.26.6). */
#include <shmem.h>
#include <stdlib.h>
#include <threads.h>

static long x, sum;
static mtx_t mutex;
static tss_t key;
static once_flag once = ONCE_FLAG_INIT;

static void gone(void *value)
{
    sum += *(long *)value; /* race: a a */
    free(value);
}

static void make(void)
{
    tss_create(&key, gone);
    mtx_init(&mutex, mtx_plain);
}

static int work(void *arg)
{
    call_once(&once, make);
    long *mine = malloc(sizeof(*mine));
    *mine = (long)arg;
    tss_set(key, mine);
    return 0;
}

int main(void)
{
    int provided;
    thrd_t threads[2];
    shmem_init_thread(SHMEM_THREAD_FUNNELED, &provided);
    for (long i = 0; i < 2; i++)
        thrd_create(&threads[i], work, (void *)i);
    for (int i = 0; i < 2; i++)
        thrd_join(threads[i], NULL);
    shmem_long_p(&x, sum, (shmem_my_pe() + 1) % shmem_n_pes());
    shmem_finalize();
    return 0;
}
