/* thrille: n=2 */
/* Every second element, backwards: x(5), x(3) and x(1) are put, and x(3) is loaded (4.1.2). */
#include <mpi.h>

static long x[8];
static long from[3] = {1, 2, 3};

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me, n;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    MPI_Win win;
    MPI_Win_create(x, sizeof(x), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Datatype back;
    MPI_Type_create_hvector(3, 1, -2 * (MPI_Aint)sizeof(long), MPI_LONG, &back);
    MPI_Type_commit(&back);
    volatile long seen = 0;
    MPI_Win_fence(0, win);
    if (me == 0)
        MPI_Put(from, 3, MPI_LONG, 1, 5, 1, back, win); /* race: a */
    if (me == 1)
        seen = x[3]; /* race: a */
    MPI_Win_fence(0, win);
    (void)seen;
    MPI_Type_free(&back);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
