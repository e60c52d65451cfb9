/* thrille: n=2 */
/* Before a barrier of pthreads in a shared window nothing is ordered. */
#include <mpi.h>
#include <pthread.h>

struct shared {
    pthread_barrier_t barrier;
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
        pthread_barrierattr_t attributes;
        pthread_barrierattr_init(&attributes);
        pthread_barrierattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
        pthread_barrier_init(&all->barrier, &attributes, 2);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (me == 0)
        all->value = 1; /* race: a */
    if (me == 1)
        seen = all->value; /* race: a */
    pthread_barrier_wait(&all->barrier);
    (void)seen;
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
