/* thrille: n=3 */
/* An allgather between groups that moves data in one direction only, which orders the givers before the others: not the others before the givers (5.7.1). */
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
    MPI_Comm local, inter;
    MPI_Win_create(x, sizeof(x), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Comm_split(MPI_COMM_WORLD, me == 2, me, &local);
    MPI_Intercomm_create(local, 0, MPI_COMM_WORLD, me == 2 ? 0 : 2, 5, &inter);
    MPI_Win_lock_all(0, win);
    volatile long seen = 0;
    int mine = me, all[2];
    int giver = 2;
    if (me == giver) {
        MPI_Put(&one, 1, MPI_LONG, 2 - giver, 0, 1, MPI_LONG, win); /* race: a */
        MPI_Win_flush(2 - giver, win);
    }
    if (me < 2)
        MPI_Allgather(&mine, 1, MPI_INT, NULL, 0, MPI_INT, inter);
    else
        MPI_Allgather(NULL, 0, MPI_INT, all, 1, MPI_INT, inter);
    if (me == 2 - giver)
        seen = x[0]; /* race: a */
    (void)seen;
    MPI_Win_unlock_all(win);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&local);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
