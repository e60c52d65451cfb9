/* thrille: n=2 */
/* A mutex in a shared window, shared by processes, protects. */
#include <mpi.h>
#include <pthread.h>

struct shared {
    pthread_mutex_t mutex[2];
    long value;
};

static struct shared *all;

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Win win;
    MPI_Win_allocate_shared(me == 0 ? sizeof(*all) : 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &all, &win);
    MPI_Aint size;
    int unit;
    MPI_Win_shared_query(win, 0, &size, &unit, &all);
    if (me == 0) {
        pthread_mutexattr_t attributes;
        pthread_mutexattr_init(&attributes);
        pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
        pthread_mutex_init(&all->mutex[0], &attributes);
        pthread_mutex_init(&all->mutex[1], &attributes);
        all->value = 0;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    pthread_mutex_lock(&all->mutex[0]);
    all->value = me;
    pthread_mutex_unlock(&all->mutex[0]);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
