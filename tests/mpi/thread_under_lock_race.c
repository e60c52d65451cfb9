/* thrille: n=2 flags=-pthread */
/* The lock keeps the ranks apart and not the two threads of one, which put to the same word. */
#include <mpi.h>
#include <pthread.h>

static long x[4], from[2];
static MPI_Win win;

static void *put(void *number)
{
    long i = (long)number;
    MPI_Put(&from[i], 1, MPI_LONG, 0, 0, 1, MPI_LONG, win); /* race: a a */
    return NULL;
}

int main(int argc, char **argv)
{
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    int me;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Win_create(x, sizeof(x), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    pthread_t threads[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, put, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    MPI_Win_unlock(0, win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
