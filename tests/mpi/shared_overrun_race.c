/* thrille: n=2 */
/* The parts of a shared window follow each other: one element too many is the first one of the next rank (11.2.3). */
#include <mpi.h>


int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me, n;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    long *x;
    MPI_Win win;
    MPI_Win_allocate_shared(8 * sizeof(long), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &x, &win);
    MPI_Win_fence(0, win);
    volatile long seen = 0;
    if (me == 0) {
        for (int i = 0; i <= 8; i++)
            x[i] = i; /* race: a */
    } else {
        seen = x[0]; /* race: a */
    }
    MPI_Win_fence(0, win);
    (void)seen;
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
