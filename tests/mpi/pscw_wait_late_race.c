/* thrille: n=2 */
/* Barriers do not end an epoch: wait comes after the load. */
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
    MPI_Group world, peer;
    int other = 1 - me;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &other, &peer);
    if (me == 0) {
        MPI_Win_start(peer, 0, win);
        MPI_Put(&one, 1, MPI_LONG, 1, 0, 1, MPI_LONG, win); /* race: a */
        MPI_Win_complete(win);
    }
    if (me == 1)
        MPI_Win_post(peer, 0, win);
    for (int i = 0; i < 3; i++)
        MPI_Barrier(MPI_COMM_WORLD);
    if (me == 1)
        seen = x[0]; /* race: a */
    if (me == 1)
        MPI_Win_wait(win);
    MPI_Group_free(&peer);
    MPI_Group_free(&world);
    (void)seen;
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
