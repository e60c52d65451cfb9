/* thrille: n=2 flags=-fopenmp */
/* The target initialises its memory in the epoch in which the threads of another rank put to it. */
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
    MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
    for (int i = 0; i < 4; i++) {
        x[i] = i; /* race: a */
    }
    #pragma omp parallel for num_threads(2)
    for (int i = 0; i < 4; i++) {
        MPI_Put(&from[i], 1, MPI_LONG, 1 - me, i, 1, MPI_LONG, win); /* race: a */
    }
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
