/* thrille: n=2 flags=-fopenmp */
/* copyin copies when the region begins; the others read the master's copy through a pointer while it goes on with it. */
#include <mpi.h>

static long x[2];
static struct { long at, of; } mine;
#pragma omp threadprivate(mine)

int main(int argc, char **argv)
{
    int provided, me;
    MPI_Win win;
    long *masters = &mine.at, sum = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Win_create(x, sizeof(x), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    for (int round = 0; round < 3; round++) {
        mine.at = round;
        mine.of = me;
#pragma omp parallel num_threads(3) copyin(mine) reduction(+ : sum)
        {
#pragma omp master
            mine.at = 7; /* race: a */
            sum += *masters + mine.of; /* race: a */
        }
    }
    MPI_Put(&sum, 1, MPI_LONG, 1 - me, 0, 1, MPI_LONG, win);
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
