/* thrille: n=3 */
/* Nothing goes to the left in a ring: who is on the right comes after. */
#include <mpi.h>

static long x[4], from = 1;
static int out[2], in[2];

int main(int argc, char **argv)
{
    volatile long seen = 0;
    MPI_Init(&argc, &argv);
    int me;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    int size = 3, periodic = 1, places[2] = {0, 1};
    MPI_Comm ring;
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &ring);
    int to[2] = {0, 1}, of[2] = {1, 0};
    MPI_Win win;
    MPI_Win_create(x, sizeof(x), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_lock_all(0, win);
    if (me == 0) {
        MPI_Put(&from, 1, MPI_LONG, 1, 0, 1, MPI_LONG, win);
        MPI_Win_flush(1, win);
    }
    MPI_Neighbor_alltoallv(out, to, places, MPI_INT, in, of, places, MPI_INT, ring);
    if (me == 1)
        seen = x[0];
    (void)seen;
    MPI_Win_unlock_all(win);
    MPI_Comm_free(&ring);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
