/* thrille: n=3 flags=-pthread */
/* A thread comes to a target before the one that called lock_all; another rank has a shared lock. */
#include <mpi.h>
#include <pthread.h>

static long x[4], from[4], into[4];
static MPI_Win win;

static void *work(void *unused)
{
    MPI_Put(&from[1], 1, MPI_LONG, 0, 1, 1, MPI_LONG, win); /* race: a */
    return unused;
}

int main(int argc, char **argv)
{
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    int me;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Win_create(x, sizeof(x), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    if (me == 1) {
        MPI_Win_lock_all(0, win);
        pthread_t thread;
        pthread_create(&thread, NULL, work, NULL);
        pthread_join(thread, NULL);
        MPI_Put(&from[2], 1, MPI_LONG, 0, 2, 1, MPI_LONG, win); /* race: b */
        MPI_Win_unlock_all(win);
    }
    if (me == 2) {
        MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
        MPI_Get(into, 4, MPI_LONG, 0, 0, 4, MPI_LONG, win); /* race: a, b */
        MPI_Win_unlock(0, win);
    }
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
