/* thrille: n=2 */
/* Atomic instructions on a shared window order processes: an acquiring load that sees the releasing store of another rank. */
#include <mpi.h>
#include <stdatomic.h>

static long *x;

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    volatile long seen = 0;
    MPI_Win win;
    MPI_Win_allocate_shared(4 * sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &x, &win);
    x[0] = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, win);
    MPI_Aint size;
    int unit;
    MPI_Win_shared_query(win, 1, &size, &unit, &x);
    if (me == 0) {
        x[1] = 7;
        atomic_store_explicit((_Atomic long *)&x[0], 1, memory_order_release);
    }
    if (me == 1) {
        while (atomic_load_explicit((_Atomic long *)&x[0], memory_order_acquire) == 0) {
        }
        seen = x[1];
    }
    MPI_Win_unlock_all(win);
    (void)seen;
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
