/* thrille: n=3 */
/* A gather of nothing between groups orders nothing (5.5, 5.6). */
#include <mpi.h>
#include <stddef.h>

static long x[2];
static long one = 1;

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me, n;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    MPI_Win win;
    MPI_Win_create(x, sizeof(x), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Comm local, inter;
    MPI_Comm_split(MPI_COMM_WORLD, me == 2, me, &local);
    MPI_Intercomm_create(local, 0, MPI_COMM_WORLD, me == 2 ? 0 : 2, 5, &inter);
    MPI_Win_lock_all(0, win);
    volatile long seen = 0;
    if (me == 2) {
        MPI_Put(&one, 1, MPI_LONG, 1, 0, 1, MPI_LONG, win); /* race: a */
        MPI_Win_flush(1, win);
    }
    int root = me == 0 ? MPI_ROOT : me == 1 ? MPI_PROC_NULL : 0;
    MPI_Gather(NULL, 0, MPI_INT, NULL, 0, MPI_INT, root, inter);
    if (me == 1)
        seen = x[0]; /* race: a */
    (void)seen;
    MPI_Win_unlock_all(win);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&local);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
