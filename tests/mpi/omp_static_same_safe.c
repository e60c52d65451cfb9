/* thrille: n=2 flags=-fopenmp */
/* Two static loops of equal length with nowait between them: iteration i is the same thread's in both (OpenMP 5.1 2.11.4, schedule static). */
#include <mpi.h>

enum { N = 64 };
static double x[N], a[N], b[N];

int main(int argc, char **argv)
{
    int provided, me;
    MPI_Win win;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Win_create(x, sizeof(x), sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
#pragma omp parallel num_threads(3)
    {
#pragma omp for schedule(static) nowait
        for (int i = 0; i < N; i++)
            a[i] = i;
#pragma omp for schedule(static)
        for (int i = 0; i < N; i++)
            b[i] = 2 * a[i];
    }
    MPI_Put(b, N, MPI_DOUBLE, 1 - me, 0, N, MPI_DOUBLE, win);
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
