/* thrille: n=2,4 flags=-pthread */
/* A condition, its mutex and its variable in the symmetric heap, reached by shmem_ptr: who sets it sets the data afterwards. */
#include <pthread.h>
#include <shmem.h>

struct shared {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    int ready;
};

static long data;

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    struct shared *own = shmem_malloc(sizeof *own);
    struct shared *s = shmem_ptr(own, 0);
    if (me == 0) {
        pthread_mutexattr_t attr;
        pthread_mutexattr_init(&attr);
        pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
        pthread_mutex_init(&s->mutex, &attr);
        pthread_condattr_t how;
        pthread_condattr_init(&how);
        pthread_condattr_setpshared(&how, PTHREAD_PROCESS_SHARED);
        pthread_cond_init(&s->changed, &how);
        s->ready = 0;
    }
    shmem_barrier_all();
    if (me == 0) {
        pthread_mutex_lock(&s->mutex);
        s->ready = 1;
        pthread_cond_broadcast(&s->changed);
        pthread_mutex_unlock(&s->mutex);
        data = 42; /* race: a */
    } else {
        pthread_mutex_lock(&s->mutex);
        while (!s->ready)
            pthread_cond_wait(&s->changed, &s->mutex);
        pthread_mutex_unlock(&s->mutex);
        volatile long seen = shmem_long_g(&data, 0); /* race: a */
        (void)seen;
    }
    shmem_barrier_all();
    shmem_free(own);
    shmem_finalize();
    return 0;
}
