/* About 10,000 barriers a second: a fixed amount of work, some 100 microseconds, then a barrier, again and again. Each step also stores to shared memory and
   puts to a neighbour every so often, so that there is something to exchange. Prints microseconds for each step,
   of the clock and of rank 0's processor: the least of the rounds. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double shared[64];
static volatile double sink;

static void work(long turns)
{
    double x = 1.0;
    for (long i = 0; i < turns; i++)
        x = x * 1.0000001 + 1e-9;
    sink = x;
}

static double processor(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : 2000, rounds = argc > 2 ? atoi(argv[2]) : 5;
    MPI_Init(&argc, &argv);
    int me, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Win win;
    MPI_Win_create(shared, sizeof shared, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_lock_all(0, win);
    long turns = 20000;
    double least = 1e9, least_processor = 1e9;
    for (int round = 0; round < rounds; round++) {
        MPI_Barrier(MPI_COMM_WORLD);
        double begun = MPI_Wtime(), used = processor();
        for (int step = 0; step < steps; step++) {
            work(turns);
            if (step % 16 == 0) {
                double one = step;
                MPI_Put(&one, 1, MPI_DOUBLE, (me + 1) % size, me, 1, MPI_DOUBLE, win);
                MPI_Win_flush_all(win);
            }
            MPI_Barrier(MPI_COMM_WORLD);
        }
        double each = (MPI_Wtime() - begun) / steps * 1e6;
        double own = (processor() - used) / steps * 1e6;
        least = each < least ? each : least;
        least_processor = own < least_processor ? own : least_processor;
    }
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    if (me == 0)
        printf("%.2f %.2f\n", least, least_processor);
    MPI_Finalize();
    return 0;
}
