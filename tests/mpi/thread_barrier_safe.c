/* thrille: n=2 flags=-pthread */
/* pthread_join orders the put and flush of the thread before the barrier of the main thread. */
#include <mpi.h>
#include <pthread.h>

static long x[4];
static long one = 1;
static MPI_Win win;

static void *put(void *arg)
{
    (void)arg;
    MPI_Put(&one, 1, MPI_LONG, 1, 0, 1, MPI_LONG, win);
    MPI_Win_flush(1, win);
    return NULL;
}

int main(int argc, char **argv)
{
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    int me;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    volatile long seen = 0;
    MPI_Win_create(x, sizeof(x), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_lock_all(0, win);
    pthread_t thread;
    if (me == 0)
        pthread_create(&thread, NULL, put, NULL);
    if (me == 0)
        pthread_join(thread, NULL);
    MPI_Barrier(MPI_COMM_WORLD);
    if (me == 1)
        seen = x[0];
    MPI_Win_unlock_all(win);
    (void)seen;
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
