/* thrille: n=2 */
/* The origin buffer of a put is given back while the put may still read it. */
#include <mpi.h>
#include <stdlib.h>

static long x[4];

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Win win;
    MPI_Win_create(x, sizeof(x), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_lock_all(0, win);
    if (me == 0) {
        long *from = malloc(4 * sizeof(long));
        from[0] = 1;
        MPI_Put(from, 1, MPI_LONG, 1, 0, 1, MPI_LONG, win); /* race: a */
        free(from); /* race: a */
    }
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
