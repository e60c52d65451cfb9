/* thrille: n=3 */
/* Two origins look for the least and for the greatest value of one place: different operations (11.2.1, 11.7.1). */
#include <mpi.h>

struct pair { double value; int rank; };
static struct pair x[2];

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me, n;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    MPI_Win win;
    MPI_Win_create(x, sizeof(x), sizeof(struct pair), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    struct pair mine = {me * 1.5, me};
    MPI_Win_fence(0, win);
    if (me == 0)
        MPI_Accumulate(&mine, 1, MPI_DOUBLE_INT, 1, 0, 1, MPI_DOUBLE_INT, MPI_MINLOC, win); /* race: a */
    if (me == 2)
        MPI_Accumulate(&mine, 1, MPI_DOUBLE_INT, 1, 0, 1, MPI_DOUBLE_INT, MPI_MAXLOC, win); /* race: a */
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
