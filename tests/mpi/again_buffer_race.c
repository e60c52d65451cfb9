/* thrille: n=2 */
/* The same put and flush, over and over; once the buffer is written before the flush. */
#include <mpi.h>
#include <stdlib.h>

static long x[8];
static long from[4];

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Win win;
    MPI_Win_create(x, sizeof(x), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_lock_all(0, win);
    if (me == 0)
        for (int i = 0; i < 10; i++) {
            MPI_Put(from, 4, MPI_LONG, 1, 0, 4, MPI_LONG, win); /* race: a */
            if (i == 7)
                from[3] = i; /* race: a */
            MPI_Win_flush(1, win);
        }
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
