/* thrille: n=2 */
/* A persistent barrier, where the library has it, orders what came before its start. */
#include <mpi.h>

static long x[4];
static long one = 1;

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    volatile long seen = 0;
    MPI_Win win;
    MPI_Win_create(x, sizeof(x), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_lock_all(0, win);
    MPI_Request request;
#if MPI_VERSION >= 4
    MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &request);
#endif
    for (int i = 0; i < 2; i++) {
        if (me == 0) {
            MPI_Put(&one, 1, MPI_LONG, 1, i, 1, MPI_LONG, win);
            MPI_Win_flush(1, win);
        }
#if MPI_VERSION >= 4
        MPI_Start(&request);
#else
        MPI_Ibarrier(MPI_COMM_WORLD, &request);
#endif
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        if (me == 1) {
            seen = x[i];
        }
    }
#if MPI_VERSION >= 4
    MPI_Request_free(&request);
#endif
    MPI_Win_unlock_all(win);
    (void)seen;
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
