/* thrille: n=2 */
/* Rank 1 stores inside the block that the put writes. */
#include <mpi.h>

static long x[16];
static long from[4];

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Win win;
    MPI_Win_create(x, sizeof(x), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_lock_all(0, win);
    MPI_Datatype block;
    int sizes[2] = {4, 4}, subsizes[2] = {2, 2}, starts[2] = {1, 1};
    MPI_Type_create_subarray(2, sizes, subsizes, starts, MPI_ORDER_C, MPI_LONG, &block);
    MPI_Type_commit(&block);
    if (me == 0)
        MPI_Put(from, 4, MPI_LONG, 1, 0, 1, block, win); /* race: a */
    if (me == 1)
        x[2 * 4 + 2] = 2; /* race: a */
    MPI_Type_free(&block);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
