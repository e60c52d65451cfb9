/* thrille: n=2 */
/* A struct of two subarrays and a pair with a gap: what is loaded is in no part (4.1.2, 4.1.3). */
#include <mpi.h>
#include <stddef.h>

struct tile { int low[4][4]; char tag; double high[3][3]; };
static struct tile x[2];

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me, n;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    MPI_Win win;
    MPI_Win_create(x, sizeof(x), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    int sizes[2] = {4, 4}, some[2] = {2, 2}, from[2] = {1, 1}, high_sizes[2] = {3, 3}, high_some[2] = {3, 1}, high_from[2] = {0, 2};
    MPI_Datatype parts[2], pair, tile;
    MPI_Type_create_subarray(2, sizes, some, from, MPI_ORDER_FORTRAN, MPI_INT, &parts[0]);
    MPI_Type_create_subarray(2, high_sizes, high_some, high_from, MPI_ORDER_C, MPI_DOUBLE, &parts[1]);
    int lengths[2] = {1, 1};
    MPI_Aint shifts[2] = {offsetof(struct tile, low), offsetof(struct tile, high)};
    MPI_Type_create_struct(2, lengths, shifts, parts, &pair);
    MPI_Type_create_resized(pair, 0, sizeof(struct tile), &tile);
    MPI_Type_commit(&tile);
    struct tile mine[2] = {{{{0}}}};
    volatile double seen = 0;
    MPI_Win_fence(0, win);
    if (me == 0)
        MPI_Put(mine, 2, tile, 1, 0, 2, tile, win);
    if (me == 1)
        seen = x[1].high[2][1] + x[1].tag + x[0].low[3][1];
    MPI_Win_fence(0, win);
    (void)seen;
    MPI_Type_free(&tile);
    MPI_Type_free(&pair);
    MPI_Type_free(&parts[0]);
    MPI_Type_free(&parts[1]);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
