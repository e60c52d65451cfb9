/* thrille: n=2 */
/* A window of one rank over COMM_SELF and one of all over the same memory: each is flushed (11.2.1, 11.5.4). */
#include <mpi.h>

static long x[4];
static long one = 1;

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me, n;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    MPI_Win own, win;
    MPI_Win_create(x, sizeof(x), sizeof(long), MPI_INFO_NULL, MPI_COMM_SELF, &own);
    MPI_Win_create(x, sizeof(x), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_lock_all(0, own);
    MPI_Win_lock_all(0, win);
    long got;
    if (me == 1) {
        MPI_Put(&one, 1, MPI_LONG, 0, 1, 1, MPI_LONG, own);
        MPI_Win_flush_all(win);
        MPI_Win_flush_all(own);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (me == 0)
        MPI_Get(&got, 1, MPI_LONG, 1, 1, 1, MPI_LONG, win);
    MPI_Win_unlock_all(win);
    MPI_Win_unlock_all(own);
    MPI_Win_free(&win);
    MPI_Win_free(&own);
    MPI_Finalize();
    return 0;
}
