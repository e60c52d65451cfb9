/* thrille: n=2 flags=-pthread */
/* The main thread joined the thread and quiets the context it put on. */
#include <pthread.h>
#include <shmem.h>

static long x;
static shmem_ctx_t ctx;

static void *put(void *arg)
{
    const int *me = arg;
    const long one = 1;
    if (*me == 0)
        shmem_ctx_long_put(ctx, &x, &one, 1, 1);
    return NULL;
}

int main(void)
{
    int provided;
    shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
    int me = shmem_my_pe();
    volatile long seen = 0;
    pthread_t thread;
    shmem_ctx_create(0, &ctx);
    pthread_create(&thread, NULL, put, &me);
    pthread_join(thread, NULL);
    shmem_ctx_quiet(ctx);
    shmem_sync_all();
    if (me == 1)
        seen = x;
    shmem_ctx_destroy(ctx);
    (void)seen;
    shmem_finalize();
    return 0;
}
