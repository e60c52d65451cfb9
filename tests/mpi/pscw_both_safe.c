/* thrille: n=3,4 */
/* Each rank is origin and target of both neighbours at once, and reads its halo after wait (11.5.2). */
#include <mpi.h>

static double u[6];

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me, n;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    MPI_Win win;
    MPI_Win_create(u, sizeof(u), sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    int ranks[2] = {(me + n - 1) % n, (me + 1) % n};
    MPI_Group world, both;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 2, ranks, &both);
    volatile double seen = 0;
    for (int step = 0; step < 3; step++) {
        MPI_Win_post(both, 0, win);
        MPI_Win_start(both, 0, win);
        MPI_Put(&u[1], 1, MPI_DOUBLE, ranks[0], 5, 1, MPI_DOUBLE, win);
        MPI_Put(&u[4], 1, MPI_DOUBLE, ranks[1], 0, 1, MPI_DOUBLE, win);
        MPI_Win_complete(win);
        MPI_Win_wait(win);
        seen = u[0];
        seen = u[5];
        u[1] = u[2] + 1;
        u[4] = u[3] + 1;
    }
    (void)seen;
    MPI_Group_free(&both);
    MPI_Group_free(&world);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
