/* thrille: n=2 flags=-pthread */
/* The thread that overwrites the source is created after the quiet. */
#include <pthread.h>
#include <shmem.h>

static long x, from;

static void *overwrite(void *arg)
{
    from = 2;
    return arg;
}

int main(void)
{
    int provided;
    shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
    int me = shmem_my_pe();
    pthread_t thread;
    shmem_long_put_nbi(&x, &from, 1, (me + 1) % shmem_n_pes());
    shmem_quiet();
    pthread_create(&thread, NULL, overwrite, NULL);
    pthread_join(thread, NULL);
    shmem_quiet();
    shmem_finalize();
    return 0;
}
