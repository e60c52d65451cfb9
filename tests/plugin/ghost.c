/* The last plane of a cube is the neighbour's: it is read by the last iterations of a nest, long after the sweep has used up what it was granted. */
#include <shmem.h>
#include <stdlib.h>

enum { SIZE = 128, ROWS = SIZE * (SIZE + 1), CELLS = ROWS * SIZE };

/* Rows of private and of symmetric memory. */
static double *own[ROWS], *shared[ROWS];

__attribute__((noinline)) static void sweep(double **to, double **from, int planes)
{
    for (int i = 1; i < planes; i++)
        for (int j = 0; j < SIZE; j++) {
            const double *below = from[(i - 1) * SIZE + j], *above = from[(i + 1) * SIZE + j];
            double *here = to[i * SIZE + j];
            for (int k = 0; k < SIZE; k++)
                here[k] = below[k] + above[k]; /* race: a */
        }
}

int main(void)
{
    shmem_init();
    int me = shmem_my_pe();
    double *u = shmem_malloc(CELLS * sizeof *u), *v = calloc(CELLS, sizeof *v);
    for (int i = 0; i < ROWS; i++) {
        shared[i] = u + i * SIZE;
        own[i] = v + i * SIZE;
    }
    shmem_barrier_all();
    for (int turn = 0; turn < 20; turn++) {
        if (me == 1)
            shmem_double_put(u + SIZE * SIZE * SIZE, v, 1, 0); /* race: a */
        sweep(own, shared, SIZE);
        shmem_barrier_all();
    }
    shmem_finalize();
    return v[0] < 0;
}
