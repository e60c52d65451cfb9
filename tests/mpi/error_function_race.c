/* thrille: n=2 */
/* An error handler is the program: it counts in the window while another rank gets the count. */
#include <mpi.h>

static long errors[2];

static void count(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    (void)code;
    errors[0]++; /* race: a */
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Win win;
    MPI_Win_create(errors, sizeof(errors), sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Errhandler handler;
    MPI_Comm_create_errhandler(count, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    long got = 0, sent = 1;
    MPI_Win_fence(0, win);
    if (me == 0) {
        MPI_Get(&got, 1, MPI_LONG, 1, 0, 1, MPI_LONG, win); /* race: a */
    }
    if (me == 1) {
        MPI_Send(&sent, 1, MPI_LONG, 1000, 0, MPI_COMM_WORLD);
    }
    MPI_Win_fence(0, win);
    MPI_Errhandler_free(&handler);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
