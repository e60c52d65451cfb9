/* thrille: n=4 */
/* Two halves have windows of their own, and fence them differently often: a fence of the one half does not order what the other did (11.5.1). */
#include <mpi.h>

static long x[2], y[2];
static long one = 1;

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me, n;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    MPI_Comm half;
    MPI_Win win, all;
    MPI_Comm_split(MPI_COMM_WORLD, me % 2, me, &half);
    MPI_Win_create(x, sizeof(x), sizeof(long), MPI_INFO_NULL, half, &win);
    MPI_Win_create(y, sizeof(y), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &all);
    MPI_Win_lock_all(0, all);
    volatile long seen = 0;
    for (int round = 0; round <= me % 2; round++) {
        MPI_Win_fence(0, win);
        MPI_Put(&one, 1, MPI_LONG, 1 - me / 2, 0, 1, MPI_LONG, win);
        MPI_Win_fence(0, win);
        seen = x[0];
    }
    if (me == 1) {
        MPI_Put(&one, 1, MPI_LONG, 2, 0, 1, MPI_LONG, all); /* race: a */
        MPI_Win_flush(2, all);
    }
    MPI_Win_fence(0, win);
    if (me == 2)
        seen = y[0]; /* race: a */
    (void)seen;
    MPI_Win_unlock_all(all);
    MPI_Win_free(&all);
    MPI_Win_free(&win);
    MPI_Comm_free(&half);
    
    MPI_Finalize();
    return 0;
}
