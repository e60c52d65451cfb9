/* thrille: n=2 */
/* Polling the flag with plain loads is itself a race with its update, and orders nothing: the data races too. */
#include <mpi.h>

static long x[4];
static long one = 1;

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
        MPI_Put(&one, 1, MPI_LONG, 1, 0, 1, MPI_LONG, win); /* race: a */
        MPI_Win_flush(1, win);
        MPI_Accumulate(&one, 1, MPI_LONG, 1, 1, 1, MPI_LONG, MPI_REPLACE, win); /* race: b */
        MPI_Win_flush(1, win);
    }
    if (me == 1) {
        volatile long *flag = &x[1];
        for (int i = 0; i < 1000 && *flag == 0; i++) /* race: b */
            ;
        seen = x[0]; /* race: a */
    }
    MPI_Win_unlock_all(win);
    (void)seen;
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
