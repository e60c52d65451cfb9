/* A race, then an exchange, then an end of the given sort. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

static long x[2];

int main(int argc, char **argv)
{
    const char *end = argc > 1 ? argv[1] : "";
    MPI_Init(&argc, &argv);
    int me;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Win win;
    long one = 1;
    MPI_Win_create(x, sizeof x, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    if (me == 0)
        MPI_Put(&one, 1, MPI_LONG, 1, 0, 1, MPI_LONG, win); /* race: a */
    if (me == 1)
        x[0] = 2; /* race: a */
    MPI_Win_fence(0, win);
    if (strcmp(end, "no_finalize") == 0)
        return 0;
    for (int i = 0; i < 4; i++)
        MPI_Barrier(MPI_COMM_WORLD);
    if (me == 1 && strcmp(end, "crash") == 0)
        *(volatile int *)8 = 1;
    if (me == 1 && strcmp(end, "abort") == 0)
        MPI_Abort(MPI_COMM_WORLD, 7);
    if (strcmp(end, "error") == 0) {
        /* The library's error handler, not the tool, has the say. */
        MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
        MPI_Win_fence(0, win);
        if (MPI_Put(&one, 1, MPI_LONG, 77, 0, 1, MPI_LONG, win) == MPI_SUCCESS)
            exit(9);
        MPI_Win_fence(0, win);
    }
    MPI_Win_free(&win);
    MPI_Finalize();
    return strcmp(end, "status") == 0 ? 5 : 0;
}
