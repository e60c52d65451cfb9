/* thrille: n=2 */
/* The put is on one window, the fence after it on the other. */
#include <mpi.h>

static long x[4], y[4];
static long one = 1;

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    volatile long seen = 0;
    MPI_Win win, other;
    MPI_Win_create(x, sizeof(x), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_create(y, sizeof(y), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &other);
    MPI_Win_fence(0, win);
    MPI_Win_fence(0, other);
    if (me == 0)
        MPI_Put(&one, 1, MPI_LONG, 1, 0, 1, MPI_LONG, win); /* race: a */
    MPI_Win_fence(0, other);
    if (me == 1)
        seen = x[0]; /* race: a */
    (void)seen;
    MPI_Win_fence(0, win);
    MPI_Win_fence(0, other);
    MPI_Win_free(&other);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
