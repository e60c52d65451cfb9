/* thrille: n=2 flags=-pthread */
/* Thousands of times one thread hands a number to another, which takes it when it has said that the slot is empty. */
#include <mpi.h>
#include <pthread.h>

enum { ROUNDS = 4000 };

static long x, slot, sum;
static int full;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static void *consume(void *arg)
{
    for (int i = 0; i < ROUNDS; i++) {
        pthread_mutex_lock(&mutex);
        while (!full)
            pthread_cond_wait(&changed, &mutex);
        full = 0;
        pthread_cond_signal(&changed);
        pthread_mutex_unlock(&mutex);
        sum += slot; /* race: a */
    }
    return arg;
}

int main(int argc, char **argv)
{
    int provided, me;
    MPI_Win win;
    pthread_t thread;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Win_create(&x, sizeof(x), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_lock_all(0, win);
    pthread_create(&thread, NULL, consume, NULL);
    for (int i = 0; i < ROUNDS; i++) {
        pthread_mutex_lock(&mutex);
        while (full)
            pthread_cond_wait(&changed, &mutex);
        slot = i; /* race: a */
        full = 1;
        pthread_cond_signal(&changed);
        pthread_mutex_unlock(&mutex);
    }
    pthread_join(thread, NULL);
    MPI_Put(&sum, 1, MPI_LONG, (me + 1) % 2, 0, 1, MPI_LONG, win);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
