/* thrille: n=3 */
/* A communicator made by two of the three ranks: its barrier does not order the third one (6.4.2, 5.3). */
#include <mpi.h>

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
    int members[2] = {1, 2};
    MPI_Group world, two;
    MPI_Comm pair = MPI_COMM_NULL;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 2, members, &two);
    if (me == members[0] || me == members[1])
        MPI_Comm_create_group(MPI_COMM_WORLD, two, 3, &pair);
    MPI_Win_lock_all(0, win);
    volatile long seen = 0;
    if (me == 0) {
        MPI_Put(&one, 1, MPI_LONG, 2, 0, 1, MPI_LONG, win); /* race: a */
        MPI_Win_flush(2, win);
    }
    if (pair != MPI_COMM_NULL) {
        MPI_Barrier(pair);
        MPI_Comm_free(&pair);
    }
    if (me == 2)
        seen = x[0]; /* race: a */
    (void)seen;
    MPI_Win_unlock_all(win);
    MPI_Group_free(&two);
    MPI_Group_free(&world);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
