/* thrille: n=2 flags=-pthread */
/* The thread has ended when the lock is given back. */
#include <mpi.h>
#include <pthread.h>

static long x[4], into;

static void *store(void *none)
{
    x[0] = 1;
    return none;
}

int main(int argc, char **argv)
{
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    int me;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Win win;
    MPI_Win_create(x, sizeof(x), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    if (me == 0) {
        pthread_t thread;
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
        pthread_create(&thread, NULL, store, NULL);
        pthread_join(thread, NULL);
        MPI_Win_unlock(0, win);
    } else {
        MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
        MPI_Get(&into, 1, MPI_LONG, 0, 0, 1, MPI_LONG, win);
        MPI_Win_unlock(0, win);
    }
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
