/* thrille: n=3 */
/* A reduction of an intercommunicator orders nobody with others of the same group. */
#include <mpi.h>

static long cells[16];

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm half, inter;
    MPI_Comm_split(MPI_COMM_WORLD, me == 2, me, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, me == 2 ? 0 : 2, 5, &inter);
    MPI_Win win;
    MPI_Win_create(cells, sizeof cells, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_lock_all(0, win);
    long value = 1;
    long sum = 0;
    if (me == 0) {
        MPI_Put(&value, 1, MPI_LONG, 1, 3, 1, MPI_LONG, win); /* race: a */
        MPI_Win_flush_all(win);
    }
    MPI_Allreduce(&value, &sum, 1, MPI_LONG, MPI_SUM, inter);
    if (me > 0) {
        volatile long seen = cells[3]; /* race: a */
        (void)seen;
    }
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
    MPI_Finalize();
    return 0;
}
