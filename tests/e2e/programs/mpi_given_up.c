/* One rank runs on a runtime that does not tell what its threads do, and is observed no further. The others must not wait for it: not where a window is made, not in an
   exchange in which each member knows its own counts alone, and not at the end. */
#include <mpi.h>
#include <omp.h>

int main(int argc, char **argv)
{
    int provided, me;
    static long x[4], out[4], in[4];
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    if (me == 1) {
#pragma omp parallel num_threads(2)
#pragma omp single
        {
            omp_event_handle_t event;
#pragma omp task detach(event)
            omp_fulfill_event(event);
        }
    }
    MPI_Win win;
    MPI_Win_create(x, sizeof x, me == 0 ? sizeof(long) : 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    for (int i = 0; i < 40; i++) {
        MPI_Win_fence(0, win);
        if (me == 0)
            MPI_Put(out, 1, MPI_LONG, 1, 0, 1, MPI_LONG, win);
        MPI_Win_fence(0, win);
        int counts[2] = {i % 2, i % 2}, at[2] = {0, 1};
        MPI_Alltoallv(out, counts, at, MPI_LONG, in, counts, at, MPI_LONG, MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
