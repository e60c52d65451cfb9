/* About 10,000 barriers a second, with something to look at in between: each step stores to 16 words of the rank's own shared memory, reads 16 that its neighbour put there in the
 * step before, computes, puts 16 words to the neighbour, and comes to a barrier. Two halves in turn keep the steps apart.
 *
 *   usage: barriers TURNS STEPS ROUNDS     TURNS of the computation in a step; 0: so many that a step takes 100 us on idle cores like these, prints them and ends;
 *                                          prints 0 when the barrier alone takes longer
 *
 * Prints microseconds for each step, of the clock and of the processor time of all ranks: the least of the rounds. Over OpenSHMEM or MPI by nas-bench/src/{shmem,mpi}/pgas.h.
 */
#include "pgas.h"
#include <time.h>
#include <unistd.h>

enum { WORDS = 16 };
static double *mine, *got[2], local[WORDS];
static int me, n;

static double seconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* In a register: nothing of it is looked at. */
static double compute(double x, long turns)
{
    for (long i = 0; i < turns; i++)
        x = x * 1.0000001 + 1e-9;
    return x;
}

static void step(long k, long turns)
{
    const double *last = got[(k + 1) % 2];
    for (int i = 0; i < WORDS; i++)
        mine[i] = local[i] = last[i] * 0.5 + (double)k;
    local[k % WORDS] += compute(1.0, turns);
    pgas_put(got[k % 2], local, WORDS, (me + 1) % n);
    pgas_barrier();
}

/* Microseconds for a step. */
static void timed(long turns, int steps, double *clock, double *processor)
{
    static long k;
    pgas_barrier();
    double begun = seconds(CLOCK_MONOTONIC), used = seconds(CLOCK_PROCESS_CPUTIME_ID);
    for (int s = 0; s < steps; s++)
        step(k++, turns);
    *clock = (seconds(CLOCK_MONOTONIC) - begun) / steps * 1e6;
    *processor = (seconds(CLOCK_PROCESS_CPUTIME_ID) - used) / steps * 1e6;
    pgas_sum_double(processor, 1);
    pgas_max_double(clock, 1);
}

static double least(double a, double b)
{
    return a < b ? a : b;
}

/* Microseconds of a step on a machine that has nothing else to do: what the processors are busy, of which this job has as many as it has ranks, or all. */
static double step_of(long turns)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    double best = 1e9, clock, processor;
    for (int round = 0; round < 5; round++) {
        timed(turns, 100, &clock, &processor);
        best = least(best, processor / (double)(n < cores ? n : cores));
    }
    return best;
}

/* What is missing, or too much, is put right a few times. */
static long calibrated(void)
{
    if (step_of(1) > 100)
        return 0;
    double turns = 10000;
    for (int i = 0; i < 6; i++) {
        double part = step_of((long)turns) / 100;
        turns = part > 4 ? turns / 4 : part < 0.25 ? turns * 4 : turns / part;
    }
    return (long)turns;
}

int main(int argc, char **argv)
{
    long turns = argc > 1 ? atol(argv[1]) : 0;
    int steps = argc > 2 ? atoi(argv[2]) : 2000, rounds = argc > 3 ? atoi(argv[3]) : 5;
    pgas_init();
    me = pgas_me(), n = pgas_n();
    if (!pgas_segment(1 << 16))
        return 2;
    mine = pgas_alloc(WORDS * sizeof *mine);
    for (int half = 0; half < 2; half++) {
        got[half] = pgas_alloc(WORDS * sizeof *mine);
        memset(got[half], 0, WORDS * sizeof *mine);
    }
    pgas_barrier();
    if (turns == 0) {
        turns = calibrated();
        if (me == 0)
            printf("%ld\n", turns);
    } else {
        double least_clock = 1e9, least_processor = 1e9, clock, processor;
        for (int round = 0; round < rounds; round++) {
            timed(turns, steps, &clock, &processor);
            least_clock = least(least_clock, clock);
            least_processor = least(least_processor, processor);
        }
        if (me == 0)
            printf("%.2f %.2f\n", least_clock, least_processor);
    }
    pgas_finalize();
    return 0;
}
