/* thrille: n=2 */
/* Relaxed atomics on a shared window: a fence before the store, and none after the load. */
#include <mpi.h>
#include <stdatomic.h>

struct shared {
    atomic_int flag;
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
    if (me == 0)
        atomic_init(&all->flag, 0);
    MPI_Win_lock_all(0, win);
    MPI_Barrier(MPI_COMM_WORLD);
    if (me == 0) {
        all->value = 1; /* race: a */
        atomic_thread_fence(memory_order_release);
        atomic_store_explicit(&all->flag, 1, memory_order_relaxed);
    }
    if (me == 1) {
        while (atomic_load_explicit(&all->flag, memory_order_relaxed) == 0)
            ;
        seen = all->value; /* race: a */
    }
    MPI_Win_unlock_all(win);
    (void)seen;
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
