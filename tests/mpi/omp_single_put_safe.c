/* thrille: n=2 flags=-fopenmp */
/* A put of a single region, and the barrier behind it. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int provided, me, n;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    int *memory;
    MPI_Win win;
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    MPI_Win_lock_all(0, win);
    static int value = 1;
#pragma omp parallel num_threads(2)
    {
#pragma omp single
        {
            MPI_Put(&value, 1, MPI_INT, (me + 1) % n, 0, 1, MPI_INT, win);
            MPI_Win_flush((me + 1) % n, win);
        }
#pragma omp master
        value = 2;
    }
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
