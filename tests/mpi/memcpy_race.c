/* thrille: n=2 */
/* memcpy of rank 1 writes the word that rank 0 gets. */
#include <mpi.h>
#include <string.h>

static long x[16];
static long from[16];
static long got;

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Win win;
    MPI_Win_create(x, sizeof(x), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_lock_all(0, win);
    size_t words = 16;
    if (me == 0)
        MPI_Get(&got, 1, MPI_LONG, 1, 15, 1, MPI_LONG, win); /* race: a */
    if (me == 1)
        memcpy(x, from, words * sizeof(long)); /* race: a */
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
