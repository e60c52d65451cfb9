/* thrille: n=2 */
/* The result of Compare_and_swap is read before anything has completed it. */
#include <mpi.h>

static long x[4];
static long zero, one = 1, got;

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    volatile long seen = 0;
    MPI_Win win;
    MPI_Win_create(x, sizeof(x), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_lock_all(0, win);
    if (me == 0) {
        MPI_Compare_and_swap(&one, &zero, &got, MPI_LONG, 1, 0, win); /* race: a */
        seen = got; /* race: a */
        MPI_Win_flush_local(1, win);
    }
    MPI_Win_unlock_all(win);
    (void)seen;
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
