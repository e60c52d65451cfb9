/* A put into a row that its owner reads meanwhile, in a function that is called in each step; and a function before it that runs long and once. */
#include <shmem.h>
#include <stdio.h>

enum { CELLS = 4096, STEPS = 400 };
static double row[CELLS], other[CELLS];

static __attribute__((noinline)) void set_up(double *own)
{
    for (int round = 0; round < 200; round++)
        for (int i = 0; i < CELLS; i++)
            own[i] += i * 0.5;
}

static __attribute__((noinline)) double read_all(const double *own)
{
    double sum = 0;
    for (int i = 0; i < CELLS; i++)
        sum += own[i]; /* race */
    return sum;
}

int main(void)
{
    shmem_init();
    int me = shmem_my_pe(), n = shmem_n_pes();
    double sum = 0;
    set_up(other);
    for (int step = 0; step < STEPS; step++) {
        shmem_double_put(row, other, CELLS, (me + 1) % n); /* race */
        sum += read_all(row);
        shmem_barrier_all();
    }
    shmem_barrier_all();
    printf("%d\n", sum >= 0);
    shmem_finalize();
    return 0;
}
