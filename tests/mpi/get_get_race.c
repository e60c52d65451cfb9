/* thrille: n=3 */
/* Ranks 0 and 2 access one word of rank 1 in one epoch, where rank 1 loads it: rank 2 puts. */
#include <mpi.h>

static long x[4];
static long value;

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    volatile long seen = 0;
    MPI_Win win;
    MPI_Win_create(x, sizeof(x), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    if (me == 0)
        MPI_Get(&value, 1, MPI_LONG, 1, 0, 1, MPI_LONG, win); /* race: a */
    if (me == 1)
        seen = x[0]; /* race: b */
    if (me == 2)
        MPI_Put(&value, 1, MPI_LONG, 1, 0, 1, MPI_LONG, win); /* race: a, b */
    MPI_Win_fence(0, win);
    (void)seen;
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
