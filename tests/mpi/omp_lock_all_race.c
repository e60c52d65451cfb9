/* thrille: n=3 flags=-fopenmp */
/* Threads under lock_all, and another rank under a shared lock. */
#include <mpi.h>

static long x[4], from[4], into[4];

int main(int argc, char **argv)
{
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    int me;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Win win;
    MPI_Win_create(x, sizeof(x), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    if (me == 1) {
        MPI_Win_lock_all(0, win);
        #pragma omp parallel for num_threads(2)
        for (int i = 0; i < 4; i++) {
            MPI_Put(&from[i], 1, MPI_LONG, 0, i, 1, MPI_LONG, win); /* race: a */
        }
        MPI_Win_unlock_all(win);
    }
    if (me == 2) {
        MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
        MPI_Get(into, 4, MPI_LONG, 0, 0, 4, MPI_LONG, win); /* race: a */
        MPI_Win_unlock(0, win);
    }
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
