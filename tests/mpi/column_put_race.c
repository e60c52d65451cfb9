/* thrille: n=2 */
/* A column of eight rows is put; the target uses another column, or the last element of that one. */
#include <mpi.h>
#define ROWS 8
#define COLUMNS 5
static double from[ROWS * COLUMNS], grid[ROWS * COLUMNS];
int main(int argc, char **argv)
{
    int rank;
    volatile double seen;
    MPI_Win win;
    MPI_Datatype column;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Type_vector(ROWS, 1, COLUMNS, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);
    MPI_Win_create(grid, sizeof grid, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    if (rank == 0) {
        MPI_Put(&from[1], 1, column, 1, 3, 1, column, win); /* race: a, b */
        from[7 * COLUMNS + 1] = 1; /* race: b */
    } else {
        seen = grid[7 * COLUMNS + 3]; /* race: a */
    }
    MPI_Win_fence(0, win);
    MPI_Type_free(&column);
    MPI_Win_free(&win);
    MPI_Finalize();
    (void)seen;
    return 0;
}
