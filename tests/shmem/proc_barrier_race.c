/* thrille: n=2,4 flags=-pthread */
/* A barrier that processes share, in the symmetric heap: what each stores before a round, its neighbour reads after it, and maybe when the next is stored. */
#include <pthread.h>
#include <shmem.h>

static long value;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe(), n = shmem_n_pes();
    pthread_barrier_t *own = shmem_malloc(sizeof *own);
    pthread_barrier_t *barrier = shmem_ptr(own, 0);
    if (me == 0) {
        pthread_barrierattr_t attr;
        pthread_barrierattr_init(&attr);
        pthread_barrierattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
        pthread_barrier_init(barrier, &attr, (unsigned)n);
    }
    shmem_barrier_all();
    long *next = shmem_ptr(&value, (me + 1) % n);
    volatile long seen;
    for (int i = 0; i < 5; i++) {
        value = i; /* race: a */
        pthread_barrier_wait(barrier);
        seen = *next; /* race: a */
    }
    (void)seen;
    shmem_barrier_all();
    shmem_free(own);
    shmem_finalize();
    return 0;
}
