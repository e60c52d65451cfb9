/* thrille: n=2,4 */
/* Tickets are taken with Fetch_and_op, atomic among all ranks. */
#include <mpi.h>

static long x[4];
static long ticket;
static long next = 1;

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    volatile long seen = 0;
    MPI_Win win;
    MPI_Win_create(x, sizeof(x), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_lock_all(0, win);
    MPI_Fetch_and_op(&next, &ticket, MPI_LONG, 0, 0, MPI_SUM, win);
    MPI_Win_flush(0, win);
    seen = ticket;
    MPI_Win_unlock_all(win);
    (void)seen;
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
