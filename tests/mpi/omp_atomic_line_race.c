/* thrille: n=2 flags=-fopenmp */
/* Atomics of OpenMP and of MPI are not atomic towards each other; the line is that of the statement, not of its directive. */
#include <mpi.h>

static long x[4], one = 1, old;

int main(int argc, char **argv)
{
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    int me;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Win win;
    MPI_Win_create(x, sizeof(x), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_lock_all(0, win);
    #pragma omp parallel num_threads(2)
    {
        #pragma omp atomic
        x[0]++; /* race: a */
    }
    MPI_Fetch_and_op(&one, &old, MPI_LONG, 1 - me, 0, MPI_SUM, win); /* race: a */
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
