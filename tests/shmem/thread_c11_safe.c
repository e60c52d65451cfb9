/* thrille: n=1 flags=-pthread */
/* Threads of C11: mutex and condition. */
#include <shmem.h>
#include <stddef.h>
#include <threads.h>

static mtx_t m;
static cnd_t c;
static int ready;
static long box;

static int producer(void *arg)
{
    (void)arg;
    box = 1;
    mtx_lock(&m);
    ready = 1;
    mtx_unlock(&m);
    cnd_signal(&c);
    return 0;
}

int main(void)
{
    int provided;
    shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
    mtx_init(&m, mtx_plain);
    cnd_init(&c);
    thrd_t t;
    thrd_create(&t, producer, NULL);
    mtx_lock(&m);
    while (!ready)
        cnd_wait(&c, &m);
    mtx_unlock(&m);
    volatile long s = box;
    thrd_join(t, NULL);
    (void)s;
    shmem_finalize();
    return 0;
}
