/* thrille: n=2 flags=-pthread */
/* A wait that timed out tells of nothing (pthread_cond_timedwait, ETIMEDOUT): the consumer goes on without the flag. */
#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

static long x, data;
static int ready;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static atomic_int go;

static void *produce(void *arg)
{
    while (!atomic_load_explicit(&go, memory_order_relaxed))
        ;
    data = 7; /* race: a */
    pthread_mutex_lock(&mutex);
    ready = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&mutex);
    return arg;
}

int main(int argc, char **argv)
{
    int provided, me;
    MPI_Win win;
    pthread_t thread;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Win_create(&x, sizeof(x), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    pthread_create(&thread, NULL, produce, NULL);
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    pthread_mutex_lock(&mutex);
    pthread_cond_timedwait(&changed, &mutex, &until);
    atomic_store_explicit(&go, 1, memory_order_relaxed);
    pthread_mutex_unlock(&mutex);
    MPI_Put(&data, 1, MPI_LONG, 1 - me, 0, 1, MPI_LONG, win); /* race: a */
    MPI_Win_fence(0, win);
    pthread_join(thread, NULL);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
