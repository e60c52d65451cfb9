/* thrille: n=4 */
/* Rank 2 is no neighbour of rank 0 in the ring. */
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
    int size = 4, periodic = 1, all[2] = {0, 0}, got[2];
    int target = 2;
    MPI_Comm ring;
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &ring);
    if (me == 0) {
        MPI_Put(&one, 1, MPI_LONG, target, 0, 1, MPI_LONG, win); /* race: a */
        MPI_Win_flush(target, win);
    }
    MPI_Neighbor_alltoall(all, 1, MPI_INT, got, 1, MPI_INT, ring);
    if (me == target)
        seen = x[0]; /* race: a */
    MPI_Comm_free(&ring);
    MPI_Win_unlock_all(win);
    (void)seen;
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
