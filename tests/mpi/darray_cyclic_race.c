/* thrille: n=2 */
/* Blocks of two are dealt out to two processes: row 1 column 4 is the first one's (4.1.4). */
#include <mpi.h>

static int x[2][8];
static int from[8];

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me, n;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    MPI_Win win;
    MPI_Win_create(x, sizeof(x), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    int sizes[2] = {2, 8}, how[2] = {MPI_DISTRIBUTE_NONE, MPI_DISTRIBUTE_CYCLIC}, args[2] = {MPI_DISTRIBUTE_DFLT_DARG, 2}, grid[2] = {1, 2};
    MPI_Datatype part;
    MPI_Type_create_darray(2, 0, 2, sizes, how, args, grid, MPI_ORDER_C, MPI_INT, &part);
    MPI_Type_commit(&part);
    MPI_Win_fence(0, win);
    if (me == 0)
        MPI_Put(from, 8, MPI_INT, 1, 0, 1, part, win); /* race: a */
    if (me == 1)
        x[1][4] = 1; /* race: a */
    MPI_Win_fence(0, win);
    MPI_Type_free(&part);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
