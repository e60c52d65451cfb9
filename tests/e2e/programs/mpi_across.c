/* The first rank and the last one, which are on different nodes where there are several, touch one word; each says where it is, and the program takes its time. */
#include <mpi.h>
#include <unistd.h>

static long x;

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me, n;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    MPI_Win win;
    long one = 1;
    MPI_Win_create(&x, sizeof x, sizeof x, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    usleep(300000);
    if (me == 0)
        MPI_Put(&one, 1, MPI_LONG, n - 1, 0, 1, MPI_LONG, win); /* race: a */
    if (me == n - 1)
        x = 2; /* race: a */
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
