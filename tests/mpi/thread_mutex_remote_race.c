/* thrille: n=2 flags=-pthread */
/* Rank 1 changes the word under its mutex, which the put of rank 0 under its own does not know. */
#include <mpi.h>
#include <pthread.h>

static long x[4];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long one = 1;

int main(int argc, char **argv)
{
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    int me;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Win win;
    MPI_Win_create(x, sizeof(x), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_lock_all(0, win);
    pthread_mutex_lock(&mutex);
    if (me == 0) {
        MPI_Put(&one, 1, MPI_LONG, 1, 0, 1, MPI_LONG, win); /* race: a */
        MPI_Win_flush(1, win);
    }
    if (me == 1)
        x[0] = 2; /* race: a */
    pthread_mutex_unlock(&mutex);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
