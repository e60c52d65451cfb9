/* thrille: n=2 flags=-fopenmp */
/* A wavefront over two loops (ordered(2)) that waits for its left neighbour and not for the upper one. */
#include <mpi.h>

enum { N = 6 };
static long x[N], a[N + 1][N + 1];

int main(int argc, char **argv)
{
    int provided, me;
    MPI_Win win;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Win_create(x, sizeof(x), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
#pragma omp parallel for num_threads(3) ordered(2) schedule(static, 1)
    for (int i = 1; i <= N; i++)
        for (int j = 1; j <= N; j++) {
#pragma omp ordered depend(sink : i, j - 1)
            long up = a[i - 1][j]; /* race: a */
            a[i][j] = up + a[i][j - 1] + 1; /* race: a */
#pragma omp ordered depend(source)
        }
    MPI_Put(&a[N][1], N, MPI_LONG, 1 - me, 0, N, MPI_LONG, win);
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
