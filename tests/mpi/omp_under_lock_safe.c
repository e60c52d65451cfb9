/* thrille: n=2 flags=-fopenmp */
/* The lock that one thread takes is its process's: what the others put before it is given back is under it too. */
#include <mpi.h>

static long x[4], from[4];

int main(int argc, char **argv)
{
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    int me;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Win win;
    MPI_Win_create(x, sizeof(x), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    #pragma omp parallel for num_threads(2)
    for (int i = 0; i < 4; i++) {
        MPI_Put(&from[i], 1, MPI_LONG, 0, i, 1, MPI_LONG, win);
    }
    MPI_Win_unlock(0, win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
