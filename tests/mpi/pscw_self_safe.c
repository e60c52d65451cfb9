/* thrille: n=2 */
/* Each rank is origin and target of itself too, and loads after wait (11.5.2). */
#include <mpi.h>

static long x[4];

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me, n;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    MPI_Win win;
    MPI_Group all;
    MPI_Win_create(x, sizeof(x), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_get_group(win, &all);
    long mine = me + 1;
    volatile long seen = 0;
    for (int round = 0; round < 2; round++) {
        MPI_Win_post(all, 0, win);
        MPI_Win_start(all, 0, win);
        for (int to = 0; to < n; to++)
            MPI_Put(&mine, 1, MPI_LONG, to, me, 1, MPI_LONG, win);
        MPI_Win_complete(win);
        MPI_Win_wait(win);
        seen = x[me];
    }
    (void)seen;
    MPI_Group_free(&all);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
