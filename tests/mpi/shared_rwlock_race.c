/* thrille: n=2 */
/* Readers of a read-write lock in a shared window are not kept apart. */
#include <mpi.h>
#include <pthread.h>

struct shared {
    pthread_rwlock_t rwlock;
    long value;
};

static struct shared *all;

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    volatile long seen = 0;
    MPI_Win win;
    MPI_Win_allocate_shared(me == 0 ? sizeof(*all) : 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &all, &win);
    MPI_Aint size;
    int unit;
    MPI_Win_shared_query(win, 0, &size, &unit, &all);
    if (me == 0) {
        pthread_rwlockattr_t attributes;
        pthread_rwlockattr_init(&attributes);
        pthread_rwlockattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
        pthread_rwlock_init(&all->rwlock, &attributes);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    pthread_rwlock_rdlock(&all->rwlock);
    all->value = me; /* race: a a */
    pthread_rwlock_unlock(&all->rwlock);
    (void)seen;
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
