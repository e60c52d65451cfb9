/* A race in the present phase, then an early end by rank 1 in one of several ways, while the others are somewhere: mpi_last HOW WHERE
   [clean]. */
#include <assert.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

static long x[2];

static void ends(const char *how, long got)
{
    if (strcmp(how, "abort") == 0)
        MPI_Abort(MPI_COMM_WORLD, 7);
    if (strcmp(how, "assert") == 0)
        assert(got == 5);
    if (strcmp(how, "segv") == 0)
        *(volatile int *)8 = 1;
    if (strcmp(how, "exit") == 0)
        exit(4);
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "", *where = argc > 2 ? argv[2] : "";
    MPI_Init(&argc, &argv);
    int me, token = 0, flag = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Win win;
    long one = 1, got = 0;
    MPI_Win_create(x, sizeof x, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_lock_all(0, win);
    if (me == 0) {
        MPI_Put(&one, 1, MPI_LONG, 1, 0, 1, MPI_LONG, win); /* race: a */
        MPI_Win_flush(1, win);
        /* Rank 1 ends when this has happened, and not before. */
        MPI_Send(&token, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
    }
    if (me == 1) {
        if (argc < 4)
            got = x[0]; /* race: a */
        MPI_Recv(&token, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (argc == 4)
            got = x[0];
        ends(how, got);
        if (strcmp(how, "return") == 0)
            return 4;
    }
    if (strcmp(where, "recv") == 0)
        MPI_Recv(&token, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (strcmp(where, "poll") == 0)
        while (!flag)
            MPI_Iprobe(1, 0, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    if (strcmp(where, "fetch") == 0)
        while (got != 7) {
            MPI_Fetch_and_op(NULL, &got, MPI_LONG, 1, 1, MPI_NO_OP, win);
            MPI_Win_flush(1, win);
        }
    if (strcmp(where, "compute") == 0)
        for (volatile long i = 0; i < 20000000; i++)
            ;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
