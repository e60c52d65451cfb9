/* thrille: n=2 flags=-pthread */
/* The order goes through two threads of the other rank: message, condition variable, put (MPI-3.1 3.5, XSH 4.12). */
#include <mpi.h>
#include <pthread.h>

static long x, from = 4, word;
static int received;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static MPI_Win win;

static void *receive(void *arg)
{
    MPI_Recv(&word, 1, MPI_LONG, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    pthread_mutex_lock(&mutex);
    received = 1;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
    return arg;
}

static void *put(void *arg)
{
    pthread_mutex_lock(&mutex);
    while (!received)
        pthread_cond_wait(&changed, &mutex);
    pthread_mutex_unlock(&mutex);
    MPI_Put(&from, 1, MPI_LONG, 0, 0, 1, MPI_LONG, win);
    MPI_Win_flush(0, win);
    return arg;
}

int main(int argc, char **argv)
{
    int provided, me;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Win_create(&x, sizeof(x), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_lock_all(0, win);
    if (me == 0) {
        x = 1;
        MPI_Send(&word, 1, MPI_LONG, 1, 1, MPI_COMM_WORLD);
    } else {
        pthread_t one, two;
        pthread_create(&one, NULL, receive, NULL);
        pthread_create(&two, NULL, put, NULL);
        pthread_join(one, NULL);
        pthread_join(two, NULL);
    }
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
