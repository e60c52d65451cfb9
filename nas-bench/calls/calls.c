/* What the detector costs on calls alone, with memory instrumentation off: Put+flush of 1 KiB, and a barrier with nothing pending.
 *
 * Run.sh links the same object plainly and with the tool's library, and runs both alternately; each run prints the best of several
 * batches, in nanoseconds a call, which noise of the machine disturbs least. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE = 1024, BATCHES = 40 };

static double best(double *times)
{
    double least = times[0];
    for (int i = 1; i < BATCHES; i++)
        if (times[i] < least)
            least = times[i];
    return least;
}

int main(int argc, char **argv)
{
    int calls = argc > 1 ? atoi(argv[1]) : 2000;
    MPI_Init(&argc, &argv);
    int me, n;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    char *mine, from[SIZE];
    MPI_Win win;
    memset(from, me, SIZE);
    MPI_Win_allocate((MPI_Aint)SIZE * n, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win);
    MPI_Win_lock_all(0, win);
    double put[BATCHES], barrier[BATCHES];
    int to = (me + 1) % n;
    MPI_Barrier(MPI_COMM_WORLD);
    for (int batch = 0; batch < BATCHES; batch++) {
        /* One rank at a time: the others wait in the barrier, and the figure is that of the calls. */
        double taken = 0;
        for (int turn = 0; turn < n; turn++) {
            MPI_Barrier(MPI_COMM_WORLD);
            if (turn != me)
                continue;
            double begun = MPI_Wtime();
            for (int i = 0; i < calls; i++) {
                MPI_Put(from, SIZE, MPI_CHAR, to, (MPI_Aint)SIZE * me, SIZE, MPI_CHAR, win);
                MPI_Win_flush(to, win);
            }
            taken = MPI_Wtime() - begun;
        }
        put[batch] = taken / calls;
    }
    for (int batch = 0; batch < BATCHES; batch++) {
        MPI_Barrier(MPI_COMM_WORLD);
        double begun = MPI_Wtime();
        for (int i = 0; i < calls; i++)
            MPI_Barrier(MPI_COMM_WORLD);
        barrier[batch] = (MPI_Wtime() - begun) / calls;
    }
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    if (me == 0)
        printf("%.1f %.1f\n", best(put) * 1e9, best(barrier) * 1e9);
    MPI_Finalize();
    return 0;
}
