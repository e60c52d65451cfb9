/* A race, then barriers until somebody ends it: "barriers" with a global barrier again and again, "compute" without. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static long x[2];

int main(int argc, char **argv)
{
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
    for (int i = 0; i < 100; i++)
        MPI_Barrier(MPI_COMM_WORLD);
    char name[4096];
    snprintf(name, sizeof name, "%s-%d", argv[2], me);
    FILE *ready = fopen(name, "w");
    if (ready == NULL)
        return 9;
    fclose(ready);
    for (;;) {
        usleep(1000);
        if (strcmp(argv[1], "barriers") == 0)
            MPI_Barrier(MPI_COMM_WORLD);
    }
}
