/* thrille: n=3 */
/* Two groups are merged; the barrier is that of all of them (5.3, 6.6). */
#include <mpi.h>

static long x[2];

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me, n;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    MPI_Win win;
    MPI_Win_create(x, sizeof(x), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Comm local, inter, merged;
    MPI_Comm_split(MPI_COMM_WORLD, me == 2, me, &local);
    MPI_Intercomm_create(local, 0, MPI_COMM_WORLD, me == 2 ? 0 : 2, 5, &inter);
    MPI_Intercomm_merge(inter, me != 2, &merged);
    int rank;
    MPI_Comm_rank(merged, &rank);
    MPI_Win_lock_all(0, win);
    long one = 1;
    volatile long seen = 0;
    if (rank == 1) {
        MPI_Put(&one, 1, MPI_LONG, 2, 0, 1, MPI_LONG, win);
        MPI_Win_flush(2, win);
    }
    MPI_Barrier(merged);
    if (rank == 0)
        seen = x[0];
    (void)seen;
    MPI_Win_unlock_all(win);
    MPI_Comm_free(&merged);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&local);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
