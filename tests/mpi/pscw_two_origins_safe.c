/* thrille: n=3 */
/* The two origins put to different words. */
#include <mpi.h>

static long x[4];
static long one = 1;

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Win win;
    MPI_Win_create(x, sizeof(x), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Group world, group;
    int origins[2] = {0, 2}, target = 1;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    if (me == 1) {
        MPI_Group_incl(world, 2, origins, &group);
        MPI_Win_post(group, 0, win);
        MPI_Win_wait(win);
    } else {
        MPI_Group_incl(world, 1, &target, &group);
        MPI_Win_start(group, 0, win);
        MPI_Put(&one, 1, MPI_LONG, 1, me, 1, MPI_LONG, win);
        MPI_Win_complete(win);
    }
    MPI_Group_free(&group);
    MPI_Group_free(&world);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
