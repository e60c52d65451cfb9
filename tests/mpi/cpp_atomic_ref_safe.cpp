/* thrille: n=2 flags=-std=c++20 */
/* A flag in a shared window by std::atomic_ref: data, release, acquire, data (11.7, C++20 31.7). */
#include <mpi.h>
#include <atomic>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    long *mine, *x;
    MPI_Win win;
    MPI_Win_allocate_shared(me == 0 ? 4 * sizeof(long) : 0, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win);
    MPI_Aint size;
    int unit;
    MPI_Win_shared_query(win, 0, &size, &unit, &x);
    if (me == 0)
        x[0] = x[2] = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    std::atomic_ref<long> flag(x[2]);
    volatile long seen = 0;
    if (me == 0) {
        x[0] = 1;
        flag.store(1, std::memory_order_release);
    } else {
        while (flag.load(std::memory_order_acquire) == 0)
            ;
        seen = x[0];
    }
    (void)seen;
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
