/* While rank 0 stands at its side of the race, rank 1 dies if the file END.dies is there, and takes a long time while END.waits is. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static long x, one = 1;

static int asked(const char *how)
{
    char name[4096];
    const char *end = getenv("END");
    snprintf(name, sizeof name, "%s.%s", end ? end : "", how);
    return access(name, F_OK) == 0;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int me;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Win win;
    MPI_Win_create(&x, sizeof x, sizeof x, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    if (me == 1 && asked("dies")) {
        usleep(20000);
        raise(SIGKILL);
    }
    for (int i = 0; me == 1 && i < 60 && asked("waits"); i++)
        sleep(1);
    if (me == 0)
        MPI_Put(&one, 1, MPI_LONG, 1, 0, 1, MPI_LONG, win); /* race: a */
    if (me == 1)
        x = 2; /* race: a */
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
