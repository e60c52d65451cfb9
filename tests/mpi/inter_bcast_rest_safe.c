/* thrille: n=3 */
/* The barrier behind it orders the other group after all of this one, also who had no part in the broadcast (5.3, 5.6). */
#include <mpi.h>
#include <stddef.h>

static long x[2];
static long one = 1;

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Win win;
    MPI_Win_create(x, sizeof(x), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Comm local, inter;
    MPI_Comm_split(MPI_COMM_WORLD, me == 2, me, &local);
    MPI_Intercomm_create(local, 0, MPI_COMM_WORLD, me == 2 ? 0 : 2, 5, &inter);
    MPI_Win_lock_all(0, win);
    volatile long seen = 0;
    int word = 7;
    if (me == 1) {
        MPI_Put(&one, 1, MPI_LONG, 2, 0, 1, MPI_LONG, win);
        MPI_Win_flush(2, win);
    }
    if (me == 0)
        MPI_Bcast(&word, 1, MPI_INT, MPI_ROOT, inter);
    else if (me == 1)
        MPI_Bcast(NULL, 0, MPI_INT, MPI_PROC_NULL, inter);
    else
        MPI_Bcast(&word, 1, MPI_INT, 0, inter);
    MPI_Barrier(inter);
    if (me == 2)
        seen = x[0];
    (void)seen;
    MPI_Win_unlock_all(win);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&local);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
