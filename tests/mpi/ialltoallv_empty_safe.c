/* thrille: n=3,4 */
/* A nonblocking exchange in which each gives to its right alone: that one comes after. */
#include <mpi.h>

static long x[4], from = 1;
static int out[4], in[4];

int main(int argc, char **argv)
{
    volatile long seen = 0;
    MPI_Init(&argc, &argv);
    int me;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    int size;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int to[4] = {0}, of[4] = {0}, places[4] = {0, 1, 2, 3};
    to[(me + 1) % size] = 1;
    of[(me + size - 1) % size] = 1;
    MPI_Win win;
    MPI_Win_create(x, sizeof(x), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_lock_all(0, win);
    if (me == 0) {
        MPI_Put(&from, 1, MPI_LONG, 1, 0, 1, MPI_LONG, win);
        MPI_Win_flush(1, win);
    }
    MPI_Request request;
    MPI_Ialltoallv(out, to, places, MPI_INT, in, of, places, MPI_INT, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (me == 1)
        seen = x[0];
    (void)seen;
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
