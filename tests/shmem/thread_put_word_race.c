/* thrille: n=2 flags=-pthread */
/* Two threads of a PE put to the same word of the next PE: two strands, and nothing orders them. */
#include <pthread.h>
#include <shmem.h>

static long x[2];
static int right;

static void *put(void *arg)
{
    const long *which = arg;
    shmem_long_p(&x[0], *which, right); /* race: a a */
    return NULL;
}

int main(void)
{
    int provided;
    shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided);
    int me = shmem_my_pe();
    static const long which[2] = {0, 1};
    pthread_t thread[2];
    right = (me + 1) % shmem_n_pes();
    for (int i = 0; i < 2; i++)
        pthread_create(&thread[i], NULL, put, (void *)&which[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(thread[i], NULL);
    shmem_finalize();
    return 0;
}
