/* thrille: n=2 flags=-fopenmp */
/* One thread posts and waits, the other reads behind a barrier of the team (MPI-3.1 11.5.2, 12.4). */
#include <mpi.h>
#include <omp.h>

static long x, from = 3;

int main(int argc, char **argv)
{
    int provided, me;
    MPI_Win win;
    MPI_Group world, other;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Win_create(&x, sizeof(x), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    int it = 1 - me;
    MPI_Group_incl(world, 1, &it, &other);
    if (me == 0) {
        MPI_Win_start(other, 0, win);
        MPI_Put(&from, 1, MPI_LONG, 1, 0, 1, MPI_LONG, win);
        MPI_Win_complete(win);
    } else {
#pragma omp parallel num_threads(2)
        {
#pragma omp master
            {
                MPI_Win_post(other, 0, win);
                MPI_Win_wait(win);
            }
#pragma omp barrier
            if (omp_get_thread_num() == 1) {
                volatile long seen;
                seen = x;
                (void)seen;
            }
        }
    }
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
