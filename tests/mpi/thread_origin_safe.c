/* thrille: n=2 flags=-pthread */
/* The thread frees the origin buffer with flush_local before it ends. */
#include <mpi.h>
#include <pthread.h>

static long x[4];
static long from = 1;
static MPI_Win win;

static void *put(void *arg)
{
    (void)arg;
    MPI_Put(&from, 1, MPI_LONG, 1, 0, 1, MPI_LONG, win);
    MPI_Win_flush_local(1, win);
    return NULL;
}

int main(int argc, char **argv)
{
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    int me;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Win_create(x, sizeof(x), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_lock_all(0, win);
    if (me == 0) {
        pthread_t thread;
        pthread_create(&thread, NULL, put, NULL);
        pthread_join(thread, NULL);
        from = 2;
    }
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
