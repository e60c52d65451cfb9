/* thrille: n=2 */
/* A persistent neighbourhood collective does not order what comes after its start. */
#include <mpi.h>

static long x[4];
static long one = 1;

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int two = 2, round = 1, me, all[2];
    MPI_Comm ring;
    MPI_Request request;
    MPI_Cart_create(MPI_COMM_WORLD, 1, &two, &round, 0, &ring);
    MPI_Comm_rank(ring, &me);
#if MPI_VERSION >= 4
    MPI_Neighbor_allgather_init(&me, 1, MPI_INT, all, 1, MPI_INT, ring, MPI_INFO_NULL, &request);
#endif
    volatile long seen = 0;
    MPI_Win win;
    MPI_Win_create(x, sizeof(x), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_lock_all(0, win);
    for (int i = 0; i < 3; i++) {
#if MPI_VERSION >= 4
        MPI_Start(&request);
#else
        MPI_Ineighbor_allgather(&me, 1, MPI_INT, all, 1, MPI_INT, ring, &request);
#endif
        if (me == 0) {
            MPI_Put(&one, 1, MPI_LONG, 1, i, 1, MPI_LONG, win); /* race: a */
            MPI_Win_flush(1, win);
        }
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        if (me == 1)
            seen = x[i]; /* race: a */
    }
    MPI_Win_unlock_all(win);
    (void)seen;
#if MPI_VERSION >= 4
    MPI_Request_free(&request);
#endif
    MPI_Win_free(&win);
    MPI_Comm_free(&ring);
    MPI_Finalize();
    return 0;
}
